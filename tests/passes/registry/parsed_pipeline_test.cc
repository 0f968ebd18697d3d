#include "passes/registry/parsed_pipeline.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/model_graph.h"
#include "ir/node_view.h"
#include "ir/pass_context.h"
#include "tests/testing/engines.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

std::string ParseError(absl::string_view text) {
  return std::string(ParsedPipeline::Parse(text).status().message());
}

TEST(ParsedPipelineTest, SaysWhatIsWrongWithItsText) {
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

TEST(ParsedPipelineTest, KnowsWhetherItNeedsTwoModels) {
  EXPECT_EQ(OrThrow(ParsedPipeline::Parse("freeze")).FirstOfTwoModels(), "");
  EXPECT_EQ(OrThrow(ParsedPipeline::Parse("freeze,match,add-loggers"))
                .FirstOfTwoModels(),
            "match");
}

MatchedModels FloatAndQuantized() {
  at::manual_seed(1);
  const at::Tensor weight = at::randn({4, 3, 3, 3});
  ModelGraph a = OrThrow(ModelGraph::FromModule(
      MakeModel({{"conv", Conv2d(weight)}, {"relu", Relu()}},
                {"return self.relu.forward(self.conv.forward(x))"})));
  ModelGraph b = OrThrow(ModelGraph::FromModule(
      MakeModel({{"quant", Quantize()},
                 {"conv", QuantizedConv2d(weight, true)},
                 {"dequant", DeQuantize()}},
                {"x = self.conv.forward(self.quant.forward(x))",
                 "return self.dequant.forward(x)"})));
  return {std::move(a), std::move(b), std::nullopt};
}

using ParsedPipelineOnTwoModelsTest = EngineTest;
NS_INSTANTIATE_ON_ENGINES(ParsedPipelineOnTwoModelsTest);

TEST_P(ParsedPipelineOnTwoModelsTest, AddsLoggersToBoth) {
  MatchedModels models = FloatAndQuantized();
  PassContext context;
  OrThrow(
      OrThrow(ParsedPipeline::Parse("match,add-loggers")).Run(models, context));
  EXPECT_EQ(NodesOf(models.a.graph(), "prim::CallMethod").size(), 2);
  EXPECT_EQ(NodesOf(models.b.graph(), "prim::CallMethod").size(), 2);
}

TEST_P(ParsedPipelineOnTwoModelsTest, MatchesFollowWhatPassesReplace) {
  MatchedModels models = FloatAndQuantized();
  PassContext context;
  OrThrow(OrThrow(ParsedPipeline::Parse(
                      "match,lower-to-fbgemm{fuse=false},add-loggers"))
              .Run(models, context));
  ASSERT_TRUE(models.matches.has_value());
  EXPECT_EQ(OpName(*models.matches->matches[1].b.subgraph.base),
            "ns::fbgemm_conv2d_relu");
  EXPECT_EQ(models.matches->matches[1].b.output->node(),
            models.matches->matches[1].b.subgraph.end);
}

TEST_P(ParsedPipelineOnTwoModelsTest, RunsPassesOnTheModelAskedFor) {
  MatchedModels models = FloatAndQuantized();
  PassContext context;
  OrThrow(OrThrow(ParsedPipeline::Parse("fuse-float-convs{on=float}"))
              .Run(models, context));
  EXPECT_TRUE(NodesOf(models.a.graph(), "aten::conv2d").empty());
  EXPECT_EQ(NodesOf(models.b.graph(), "quantized::conv2d_relu").size(), 1);
}

TEST_P(ParsedPipelineOnTwoModelsTest, LoggersNeedMatches) {
  MatchedModels models = FloatAndQuantized();
  PassContext context;
  const auto records =
      OrThrow(ParsedPipeline::Parse("add-loggers")).Run(models, context);
  EXPECT_THAT(MessageOf(records), HasSubstr("pass 1 'add-loggers': needs"));
}

}  // namespace
}  // namespace ns
