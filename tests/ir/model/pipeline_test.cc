#include "ir/model/pipeline.h"

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/pass_context.h"
#include "ir/model/loading_passes.h"
#include "ir/model/model_graph.h"
#include "ir/model/pass_runner.h"
#include "tests/testing/function_pass.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::torch::jit::Node;

constexpr char kTwoRelus[] = R"IR(
graph(%x : Tensor):
  %a : Tensor = aten::relu(%x)
  %b : Tensor = aten::relu(%a)
  return (%b))IR";

// Replaces the first relu by what it is given, and tells.
absl::StatusOr<bool> DropFirstRelu(ModelGraph& model, PassContext& context) {
  Node* relu = NodeOf(model.graph(), "aten::relu");
  context.Replaced(*relu->output(),
                   *NodeOf(model.graph(), "aten::relu", 1)->output());
  relu->output()->replaceAllUsesWith(relu->input(0));
  relu->destroy();
  return true;
}

// Leaves a use in front of its definition.
absl::StatusOr<bool> Break(ModelGraph& model, PassContext& /*context*/) {
  NodeOf(model.graph(), "aten::relu", 1)
      ->moveBefore(NodeOf(model.graph(), "aten::relu"));
  return true;
}

absl::StatusOr<bool> DoNothing(ModelGraph& model, PassContext& context) {
  context.Remark(*NodeOf(model.graph(), "aten::relu"), "it is fine");
  return false;
}

TEST(PipelineTest, RunsAHostsPassesBesideOurs) {
  ModelGraph model = ModelOf(kTwoRelus);
  Pipeline pipeline("mine");
  pipeline.Add<FunctionPass>("drop", DropFirstRelu)
      .Add<EliminateDeadCodePass>();
  PassContext context;
  EXPECT_TRUE(OrThrow(pipeline.Run(model, context)));
  EXPECT_EQ(NodesOf(model.graph(), "aten::relu").size(), 1);
}

TEST(PipelineTest, NamesPipelineAndPassOfAnError) {
  ModelGraph model = ModelOf(kTwoRelus);
  Pipeline pipeline("mine");
  pipeline.Add<FunctionPass>("look", DoNothing)
      .Add<FunctionPass>("refuse", [](ModelGraph&, PassContext&) {
        return absl::InvalidArgumentError("too hot");
      });
  PassContext context;
  EXPECT_EQ(MessageOf(pipeline.Run(model, context)),
            "pipeline 'mine', pass 2 'refuse': too hot");
}

TEST(PipelineTest, CatchesAPassThatLeavesAMalformedGraph) {
  ModelGraph model = ModelOf(kTwoRelus);
  Pipeline pipeline("mine");
  pipeline.Add<FunctionPass>("break", Break);
  PassContext context;
  const absl::Status status = pipeline.Run(model, context).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("pass 1 'break'"), HasSubstr("relu")));
}

TEST(PipelineTest, StopsAtTheLimit) {
  ModelGraph model = ModelOf(kTwoRelus);
  Pipeline pipeline("mine");
  pipeline.Add<FunctionPass>("look", DoNothing)
      .Add<FunctionPass>("drop", DropFirstRelu);
  PassRunOptions options;
  options.bisect_limit = 1;
  PassContext context;
  EXPECT_FALSE(OrThrow(pipeline.Run(model, context, options)));
  EXPECT_EQ(NodesOf(model.graph(), "aten::relu").size(), 2);
}

TEST(PipelineTest, CallsHooksAroundEachPass) {
  ModelGraph model = ModelOf(kTwoRelus);
  Pipeline pipeline("mine");
  pipeline.Add<FunctionPass>("look", DoNothing)
      .Add<FunctionPass>("drop", DropFirstRelu);
  std::vector<std::string> calls;
  const auto note = [&calls](const std::string& when) {
    return [&calls, when](int64_t index, absl::string_view pass,
                          const ModelGraph& shown) {
      calls.push_back(
          when + " " + std::to_string(index) + " " + std::string(pass) + " " +
          std::to_string(NodesOf(shown.graph(), "aten::relu").size()));
      return absl::OkStatus();
    };
  };
  PassRunOptions options;
  options.before = note("before");
  options.after = note("after");
  PassContext context;
  EXPECT_TRUE(OrThrow(pipeline.Run(model, context, options)));
  EXPECT_THAT(calls, ElementsAre("before 0 look 2", "after 0 look 2",
                                 "before 1 drop 2", "after 1 drop 1"));
}

TEST(PipelineTest, RemarksNameTheirPass) {
  ModelGraph model = ModelOf(kTwoRelus);
  Pipeline pipeline("mine");
  pipeline.Add<FunctionPass>("look", DoNothing);
  PassContext context;
  OrThrow(pipeline.Run(model, context));
  ASSERT_EQ(context.remarks().size(), 1);
  EXPECT_EQ(context.remarks()[0].pass, "look");
  EXPECT_EQ(context.remarks()[0].op, "aten::relu");
  EXPECT_EQ(context.remarks()[0].reason, "it is fine");
}

}  // namespace
}  // namespace ns
