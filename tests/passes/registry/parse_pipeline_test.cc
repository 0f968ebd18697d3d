#include "passes/registry/parse_pipeline.h"

#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/pass_context.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

std::string ParseError(absl::string_view text) {
  return std::string(ParsePipeline(text).status().message());
}

TEST(ParsePipelineTest, SaysWhatIsWrongWithItsText) {
  EXPECT_EQ(ParseError("lower-to-fbgem"),
            "unknown pass 'lower-to-fbgem'; did you mean 'lower-to-fbgemm'?");
  EXPECT_EQ(ParseError("nothing-like-it-at-all"),
            "unknown pass 'nothing-like-it-at-all'; see --list-passes");
  EXPECT_EQ(ParseError("lower-to-fbgemm{numerics=exotic}"),
            "pass 'lower-to-fbgemm': option 'numerics' is 'exotic'; use exact "
            "or fbgemm-vnni or fbgemm-avx2");
  EXPECT_EQ(ParseError("freeze{on=left}"),
            "pass 'freeze': option 'on' is 'left'; use quantized or float");
  EXPECT_EQ(ParseError("equalize-layers{clamps=drop}"),
            "pass 'equalize-layers': option 'clamps' is 'drop'; use rescale or "
            "keep");
  for (const char* exponent : {"much", "1.5", "nan"}) {
    EXPECT_EQ(
        ParseError(absl::StrCat("smooth-layers{exponent=", exponent, "}")),
        absl::StrCat("pass 'smooth-layers': option 'exponent' is '", exponent,
                     "'; use a number from 0 to 1"));
  }
  EXPECT_EQ(ParseError("match{fuse}"),
            "pass 'match': has no option 'fuse'; it takes matching");
}

TEST(ParsePipelineTest, KnowsWhetherItNeedsTwoModels) {
  EXPECT_EQ(OrThrow(ParsePipeline("freeze")).FirstOfTwoModels(), "");
  EXPECT_EQ(
      OrThrow(ParsePipeline("freeze,match,add-loggers")).FirstOfTwoModels(),
      "match");
}

TEST(ParsePipelineTest, RunsPassesOnTheModelAskedFor) {
  const char* text = R"IR(
graph(%x : Tensor):
  %unused : Tensor = aten::sigmoid(%x)
  return (%x))IR";
  for (const bool on_float : {false, true}) {
    MatchedModels models = {ModelOf(text), ModelOf(text), std::nullopt};
    PassContext context;
    OrThrow(OrThrow(ParsePipeline(on_float ? "eliminate-dead-code{on=float}"
                                           : "eliminate-dead-code"))
                .Run(models, context));
    EXPECT_EQ(NodesOf(models.a.graph(), "aten::sigmoid").empty(), on_float);
    EXPECT_EQ(NodesOf(models.b.graph(), "aten::sigmoid").empty(), !on_float);
  }
}

}  // namespace
}  // namespace ns
