#include "passes/pipeline/pair_pipeline.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/insert_logger.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/registry/pair_passes.h"
#include "passes/registry/rewrite_passes.h"
#include "tests/testing/engines.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

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

using PairPipelineTest = EngineTest;
NS_INSTANTIATE_ON_ENGINES(PairPipelineTest);

TEST_P(PairPipelineTest, AddsLoggersToBoth) {
  MatchedModels models = FloatAndQuantized();
  PassContext context;
  PairPipeline pipeline;
  pipeline.Add<MatchPass>().Add<AddLoggersPass>();
  OrThrow(pipeline.Run(models, context));
  EXPECT_EQ(NodesOf(models.a.graph(), "prim::CallMethod").size(), 2);
  EXPECT_EQ(NodesOf(models.b.graph(), "prim::CallMethod").size(), 2);
}

TEST_P(PairPipelineTest, MatchesFollowWhatPassesReplace) {
  MatchedModels models = FloatAndQuantized();
  PassContext context;
  LowerToFbgemmOptions lowering;
  lowering.fuse = false;
  PairPipeline pipeline;
  pipeline.Add<MatchPass>().Add<LowerToFbgemm>(lowering).Add<AddLoggersPass>();
  OrThrow(pipeline.Run(models, context));
  ASSERT_TRUE(models.matches.has_value());
  EXPECT_EQ(OpName(*models.matches->matches[1].b.subgraph.base),
            "ns::fbgemm_conv2d_relu");
  EXPECT_EQ(models.matches->matches[1].b.output->node(),
            models.matches->matches[1].b.subgraph.end);
}

TEST_P(PairPipelineTest, RunsPassesOnTheModelAskedFor) {
  MatchedModels models = FloatAndQuantized();
  PassContext context;
  PairPipeline pipeline;
  pipeline.AddToFloat<FuseFloatConvsPass>().Add<FuseFloatConvsPass>();
  const std::vector<PassRecord> records =
      OrThrow(pipeline.Run(models, context));
  EXPECT_THAT(records, ElementsAre(Field(&PassRecord::changed, true),
                                   Field(&PassRecord::changed, false)));
  EXPECT_TRUE(NodesOf(models.a.graph(), "aten::conv2d").empty());
  EXPECT_EQ(NodesOf(models.b.graph(), "quantized::conv2d_relu").size(), 1);
}

TEST_P(PairPipelineTest, LoggersNeedMatches) {
  MatchedModels models = FloatAndQuantized();
  PassContext context;
  PairPipeline pipeline("log");
  pipeline.Add<AddLoggersPass>();
  EXPECT_THAT(MessageOf(pipeline.Run(models, context)),
              HasSubstr("pipeline 'log', pass 1 'add-loggers': needs"));
}

// A pass of two models that leaves one of them malformed.
class BreaksTheFloatModel final : public PairPass {
 public:
  absl::string_view name() const override { return "breaks"; }
  absl::StatusOr<bool> Run(MatchedModels& models,
                           PassContext& /*context*/) const override {
    torch::jit::Graph& graph = models.a.graph();
    torch::jit::Node* node = graph.create(c10::aten::relu, {graph.inputs()[1]});
    graph.return_node()->replaceInput(0, node->output());
    return true;
  }
};

TEST_P(PairPipelineTest, VerifiesBothModelsAfterEachChange) {
  MatchedModels models = FloatAndQuantized();
  PassContext context;
  PairPipeline pipeline;
  pipeline.Add<BreaksTheFloatModel>();
  EXPECT_THAT(MessageOf(pipeline.Run(models, context)),
              HasSubstr("pass 1 'breaks'"));
}

TEST_P(PairPipelineTest, PassesTakeOptionsOfCpp) {
  MatchedModels models = FloatAndQuantized();
  PassContext context;
  int made = 0;
  LoggerOptions logging;
  logging.logger = [&, usual = logging.logger](const LoggerInfo& info) {
    ++made;
    return usual(info);
  };
  PairPipeline pipeline;
  pipeline.Add<MatchPass>().Add<AddLoggersPass>(logging);
  OrThrow(pipeline.Run(models, context));
  EXPECT_EQ(made, 4);
}

}  // namespace
}  // namespace ns
