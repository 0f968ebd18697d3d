// Real modules that PyTorch has quantized, too (tests/models/dynamic_cases.py).
#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batches.h"
#include "passes/matching/graph_matcher.h"
#include "passes/quantization/dynamic/quantize_dynamic.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"
#include "tests/testing/engines.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

QConfigMapping Global(const QConfig& qconfig) {
  return QConfigMapping().SetGlobal(qconfig);
}

struct Case {
  std::string name;
  // Whether the kernels sum in the same order as what they are compared with.
  bool is_exact = true;
  QConfigMapping mapping = DefaultDynamicMapping();
};

const std::vector<Case>& Cases() {
  static const auto* const kCases = new std::vector<Case>{
      {"bag_4bit", true, Global(FloatQParamsWeightOnlyQConfig4Bit())},
      {"bag_last_offset"},
      {"bag_mean", false},
      {"bag_mean_last_offset", false},
      {"bag_mean_padding", false},
      {"bag_padding", false},
      {"bag_rows"},
      {"bag_sum"},
      {"bag_weighted"},
      {"cells"},
      {"control_flow"},
      {"embedding"},
      {"embedding_4bit", true, Global(FloatQParamsWeightOnlyQConfig4Bit())},
      {"fused_linear"},
      {"gru"},
      {"gru_bidirectional"},
      {"gru_packed"},
      {"half", true, Global(Float16DynamicQConfig())},
      {"int4_weights", true, Global(Int4WeightsQConfig())},
      {"linears"},
      {"lstm"},
      {"lstm_batch_first"},
      {"lstm_bidirectional"},
      {"lstm_packed"},
      {"lstm_with_state"},
      {"no_biases"},
      {"per_channel", true, Global(PerChannelDynamicQConfig())},
  };
  return *kCases;
}

std::string PathOf(const std::string& name, const std::string& file) {
  return absl::StrCat("tests/models/dynamic_cases/", name, "/", file, ".pt");
}

ModelGraph Load(const std::string& name, const std::string& file) {
  return OrThrow(ModelGraph::FromFile(PathOf(name, file)));
}

void Flatten(const c10::IValue& value, std::vector<at::Tensor>& tensors) {
  if (value.isTensor()) {
    tensors.push_back(value.toTensor());
    return;
  }
  for (const c10::IValue& element : value.toTupleRef().elements()) {
    Flatten(element, tensors);
  }
}

// Fails the test unless both models give the same for all batches of the case.
void ExpectSameOutputs(const Case& model_case, ModelGraph& ours,
                       ModelGraph& theirs) {
  for (const Batch& batch :
       OrThrow(LoadBatches(PathOf(model_case.name, "inputs")))) {
    std::vector<at::Tensor> found;
    std::vector<at::Tensor> expected;
    Flatten(OrThrow(ours.Run(batch.arguments)), found);
    Flatten(OrThrow(theirs.Run(batch.arguments)), expected);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(model_case.is_exact ? found[i].equal(expected[i])
                                      : found[i].allclose(expected[i], 0, 1e-6))
          << "output " << i;
    }
  }
}

void ExpectNone(const std::vector<UnmatchedOp>& unmatched) {
  for (const UnmatchedOp& op : unmatched) {
    ADD_FAILURE() << OpName(*op.node) << ": " << op.reason;
  }
}

class QuantizeDynamicModelsTest : public EngineTest {
 protected:
  // The float model of a case, after the pass.
  static ModelGraph Quantized(const Case& model_case) {
    QuantizeDynamic::Options options;
    options.mapping = model_case.mapping;
    ModelGraph model = Load(model_case.name, "float");
    const PassRun run = RunPass(QuantizeDynamic(std::move(options)), model);
    EXPECT_TRUE(run.changed);
    EXPECT_TRUE(run.remarks.empty());
    return model;
  }
};
NS_INSTANTIATE_ON_ENGINES(QuantizeDynamicModelsTest);

TEST_P(QuantizeDynamicModelsTest, GiveTheOutputsOfPyTorchs) {
  for (const Case& model_case : Cases()) {
    SCOPED_TRACE(model_case.name);
    ModelGraph ours = Quantized(model_case);
    ModelGraph theirs = Load(model_case.name, "quantized");
    ExpectSameOutputs(model_case, ours, theirs);
  }
}

TEST_P(QuantizeDynamicModelsTest, GiveThemWhenTheyAreSavedAndLoaded) {
  const std::string path = TemporaryPath("model.pt");
  for (const Case& model_case : Cases()) {
    SCOPED_TRACE(model_case.name);
    NS_ASSERT_OK(Quantized(model_case).Save(path));
    ModelGraph ours = OrThrow(ModelGraph::FromFile(path));
    ModelGraph theirs = Load(model_case.name, "quantized");
    ExpectSameOutputs(model_case, ours, theirs);
  }
}

TEST_P(QuantizeDynamicModelsTest, MatchTheirFloatModels) {
  for (const Case& model_case : Cases()) {
    SCOPED_TRACE(model_case.name);
    const ModelGraph model = Load(model_case.name, "float");
    const ModelGraph ours = Quantized(model_case);
    const MatchResult matched = OrThrow(MatchSubgraphs(model, ours));
    EXPECT_FALSE(matched.matches.empty());
    ExpectNone(matched.unmatched_a);
    // The weights of a bag's rows are computed by ops of their own.
    if (model_case.is_exact) {
      ExpectNone(matched.unmatched_b);
    }
  }
}

}  // namespace
}  // namespace ns
