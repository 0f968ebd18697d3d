#include "ir/model/pass_runner.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "tests/testing/function_pass.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

ModelGraph TwoRelus() {
  return ModelOf(R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::relu(%a)
  return (%b))IR");
}

FunctionPass Saying(const std::string& name, bool changed) {
  return FunctionPass(name, [changed](ModelGraph&, PassContext&) {
    return absl::StatusOr<bool>(changed);
  });
}

TEST(PassRunnerTest, RecordsWhatEachPassDid) {
  ModelGraph model = TwoRelus();
  PassContext context;
  const PassRunOptions options;
  PassRunner runner(options, context);
  EXPECT_FALSE(OrThrow(runner.Run(Saying("idle", false), model)));
  EXPECT_TRUE(OrThrow(runner.Run(Saying("busy", true), model)));
  ASSERT_THAT(runner.records(), SizeIs(2));
  EXPECT_EQ(runner.records()[1].pass, "busy");
  EXPECT_TRUE(runner.records()[1].changed);
}

TEST(PassRunnerTest, PassesBehindTheLimitDoNotRun) {
  ModelGraph model = TwoRelus();
  PassContext context;
  PassRunOptions options;
  options.bisect_limit = 1;
  std::vector<int64_t> seen;
  options.before = [&](int64_t index, absl::string_view, const ModelGraph&) {
    seen.push_back(index);
    return absl::OkStatus();
  };
  PassRunner runner(options, context);
  EXPECT_TRUE(OrThrow(runner.Run(Saying("first", true), model)));
  EXPECT_FALSE(OrThrow(runner.Run(Saying("second", true), model)));
  EXPECT_THAT(runner.records(), SizeIs(1));
  EXPECT_THAT(seen, ElementsAre(0));
}

TEST(PassRunnerTest, AGraphThatIsLeftMalformedIsOurFailureAndNamesThePass) {
  ModelGraph model = TwoRelus();
  PassContext context;
  PassRunOptions options;
  options.pipeline = "lower";
  PassRunner runner(options, context);
  NS_ASSERT_OK(runner.Run(Saying("idle", false), model).status());
  const FunctionPass breaks("breaks", [](ModelGraph& broken, PassContext&) {
    NodeOf(broken.graph(), "aten::relu", 1)
        ->moveBefore(NodeOf(broken.graph(), "aten::relu"));
    return absl::StatusOr<bool>(true);
  });
  const absl::Status status = runner.Run(breaks, model).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("'lower'"), HasSubstr("'breaks'")));
}

TEST(PassRunnerTest, APassThatChangesWithoutSayingSoIsFoundWhereThatIsAsked) {
  const FunctionPass silent("silent", [](ModelGraph& model, PassContext&) {
    NodeOf(model.graph(), "aten::relu", 1)
        ->replaceInput(0, model.graph().inputs()[0]);
    return absl::StatusOr<bool>(false);
  });
  PassContext context;
  PassRunOptions options;
  for (const bool is_checked : {false, true}) {
    options.check_unchanged = is_checked;
    ModelGraph model = TwoRelus();
    PassRunner runner(options, context);
    NS_EXPECT_OK(runner.Run(Saying("idle", false), model).status());
    const absl::Status status = runner.Run(silent, model).status();
    EXPECT_EQ(status.code(),
              is_checked ? absl::StatusCode::kInternal : absl::StatusCode::kOk);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(is_checked ? "pass 2 'silent'" : ""));
  }
}

TEST(PassRunnerTest, EveryModelOfAnActionIsVerified) {
  ModelGraph a = TwoRelus();
  ModelGraph b = TwoRelus();
  PassContext context;
  const PassRunOptions options;
  PassRunner runner(options, context);
  const absl::StatusOr<bool> changed = runner.Run("pair", {&a, &b}, [&] {
    NodeOf(b.graph(), "aten::relu", 1)
        ->moveBefore(NodeOf(b.graph(), "aten::relu"));
    return absl::StatusOr<bool>(true);
  });
  EXPECT_EQ(changed.status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace ns
