// Models that FX converted to their reference form (reference_quantized.py),
// folded and run.
#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/version.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batches.h"
#include "passes/analysis/faulty_layers.h"
#include "passes/lowering/fold/fold_reference_quantization.h"
#include "passes/lowering/lower_to_fbgemm.h"
#include "passes/ops/op_table.h"
#include "passes/runtime/op_faults.h"
#include "tests/testing/engines.h"
#include "tests/testing/ir.h"
#include "tests/testing/reference_kernels.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::torch::jit::Node;
using ::torch::jit::Value;

std::string PathOf(const std::string& name, const std::string& file) {
  return absl::StrCat("tests/models/reference_quantized/", name, "/", file,
                      ".pt");
}

ModelGraph Load(const std::string& name, const std::string& form) {
  return OrThrow(ModelGraph::FromFile(PathOf(name, form)));
}

std::vector<c10::IValue> Inputs(const std::string& name) {
  return OrThrow(LoadBatches(PathOf(name, "inputs"))).at(0).arguments;
}

struct Folded {
  ModelGraph model;
  // "op: reason" each.
  std::vector<std::string> remarks;
};

Folded Fold(const std::string& name, const std::string& form) {
  Folded folded = {Load(name, form), {}};
  const FoldReferenceQuantization pass;
  const PassRun run = RunPass(pass, folded.model);
  EXPECT_TRUE(run.changed);
  for (const PassRemark& remark : run.remarks) {
    folded.remarks.push_back(absl::StrCat(remark.op, ": ", remark.reason));
  }
  EXPECT_FALSE(RunPass(pass, folded.model).changed);
  return folded;
}

// Whether LibTorch computes a layer of `model` wrongly here.
bool IsFaulty(const ModelGraph& model, at::QEngine engine) {
  return !FaultyLayers(model.graph(), OpEnvironment::Here(engine)).empty();
}

// The ops that are matched and compared, and those that quantize.
std::vector<std::string> OpsOf(const ModelGraph& model) {
  std::vector<std::string> ops;
  for (const Node* node : AllNodes(model.graph())) {
    const OpRow* row = FindOp(OpName(*node));
    const bool is_listed = row != nullptr && row->role != Role::kSource &&
                           row->role != Role::kTransparent;
    if (is_listed && TensorOutput(*node) != nullptr) {
      ops.push_back(std::string(OpName(*node)));
    }
  }
  return ops;
}

// What the quantize ops of the reference, outside control flow, give, or the
// ops that took their place and their names.
std::map<std::string, at::Tensor> QuantizedByName(
    ModelGraph model, const std::vector<c10::IValue>& inputs) {
  torch::jit::Graph& graph = model.graph();
  std::vector<Value*> values = {graph.outputs()[0]};
  std::vector<std::string> names = {"output"};
  for (const Node* node : graph.nodes()) {
    for (const Value* output : node->outputs()) {
      if (node->kind() != c10::prim::Constant &&
          absl::StartsWith(output->debugName(), "quantize_per_tensor")) {
        values.push_back(const_cast<Value*>(output));
        names.push_back(output->debugName());
      }
    }
  }
  Node* all = graph.insertNode(graph.createTuple(values));
  graph.return_node()->replaceInput(0, all->output());
  const c10::IValue outputs = OrThrow(model.Run(inputs));
  std::map<std::string, at::Tensor> quantized;
  for (size_t i = 1; i < names.size(); ++i) {
    quantized[names[i]] = outputs.toTupleRef().elements()[i].toTensor();
  }
  return quantized;
}

struct Agreement {
  int most = 0;         // steps
  double fraction = 0;  // of quantized values that differ
  size_t compared = 0;  // values
};

// Compares all quantized values that both models have. Each model computes them
// from its own earlier ones.
Agreement AgreementOf(const std::string& name, const std::string& form) {
  const auto inputs = Inputs(name);
  const auto reference = QuantizedByName(Load(name, form), inputs);
  const auto folded = QuantizedByName(Fold(name, form).model, inputs);
  Agreement agreement;
  double different = 0;
  double all = 0;
  for (const auto& [value, quantized] : folded) {
    const auto found = reference.find(value);
    if (found == reference.end()) {
      ADD_FAILURE() << value;
      continue;
    }
    const Steps steps = StepsBetween({quantized, found->second});
    agreement.most = std::max(agreement.most, steps.most);
    different += steps.fraction * quantized.numel();
    all += quantized.numel();
    ++agreement.compared;
  }
  agreement.fraction = different / all;
  return agreement;
}

at::Tensor OutputOf(ModelGraph model, const std::string& name) {
  return OrThrow(model.Run(Inputs(name))).toTensor();
}

constexpr const char* kForms[] = {"scripted", "traced"};

class FoldReferenceModelsTest : public EngineTest {
 protected:
  // At least `values` quantized values are compared; `fraction` of their
  // elements may differ.
  static void ExpectAgreement(const std::string& name, size_t values,
                              double fraction) {
    for (const std::string form : kForms) {
      if (IsFaulty(Fold(name, form).model, GetParam())) {
        continue;
      }
      SCOPED_TRACE(name + " " + form);
      const Agreement agreement = AgreementOf(name, form);
      EXPECT_GE(agreement.compared, values);
      // qnnpack multiplies sums in fixed point, and steps add up.
      EXPECT_LE(agreement.most, GetParam() == at::kONEDNN ? 1 : 3);
      EXPECT_LE(agreement.fraction, fraction);
    }
  }
};
NS_INSTANTIATE_ON_ENGINES(FoldReferenceModelsTest);

TEST_P(FoldReferenceModelsTest, QuantizedValuesAreTheReferencesUpToOneStep) {
  const double few = GetParam() == at::kONEDNN ? 1e-4 : 5e-3;
  ExpectAgreement("efficientnet_block", 10, few);
  ExpectAgreement("functions", 12, few);
  ExpectAgreement("mlp", 6, few);
  ExpectAgreement("mobilenet_block", 11, few);
  ExpectAgreement("partial", 4, few);
  ExpectAgreement("resnet_block", 7, few);
  ExpectAgreement("shapes", 3, few);
  // The kernel of bilinear interpolation rounds its weighted sums.
  ExpectAgreement("resize", 3, 0.03);
  if (GetParam() == at::kONEDNN) {
    ExpectAgreement("many_convs", 7, few);
  }
}

// What PyTorch's own lowering of the same observed model gives, to the bit.
TEST(FoldedModelsTest, EqualThoseThatFxLowers) {
  at::globalContext().setQEngine(at::kONEDNN);
  for (const std::string name :
       {"functions", "many_convs", "mlp", "mobilenet_block", "partial",
        "resize", "resnet_block", "shapes"}) {
    for (const std::string form : kForms) {
      SCOPED_TRACE(name + " " + form);
      EXPECT_TRUE(at::equal(OutputOf(Fold(name, form).model, name),
                            OutputOf(Load(name, "native"), name)));
    }
  }
}

TEST(FoldedModelsTest, ResnetBlockIsQuantizedThroughout) {
  for (const std::string form : kForms) {
    const Folded folded = Fold("resnet_block", form);
    EXPECT_THAT(folded.remarks, IsEmpty());
    EXPECT_THAT(
        OpsOf(folded.model),
        ElementsAre("aten::quantize_per_tensor", "quantized::conv2d_relu",
                    "aten::max_pool2d", "quantized::conv2d",
                    "quantized::conv2d_relu", "quantized::conv2d",
                    "quantized::add_relu", "aten::adaptive_avg_pool2d",
                    "aten::flatten", "quantized::linear", "aten::dequantize"));
  }
}

TEST(FoldedModelsTest, MobilenetBlockIsQuantizedThroughout) {
  for (const std::string form : kForms) {
    const Folded folded = Fold("mobilenet_block", form);
    EXPECT_THAT(folded.remarks, IsEmpty());
    EXPECT_THAT(
        OpsOf(folded.model),
        ElementsAre("aten::quantize_per_tensor", "quantized::conv2d",
                    "aten::hardtanh", "quantized::conv2d",
                    "quantized::hardswish", "aten::adaptive_avg_pool2d",
                    "quantized::conv2d_relu", "quantized::conv2d",
                    "aten::hardsigmoid", "quantized::mul", "quantized::conv2d",
                    "quantized::add", "quantized::conv2d", "aten::dequantize"));
  }
}

TEST(FoldedModelsTest, EfficientnetBlockIsQuantizedThroughout) {
  for (const std::string form : kForms) {
    Folded folded = Fold("efficientnet_block", form);
    EXPECT_THAT(folded.remarks, IsEmpty());
    EXPECT_THAT(
        OpsOf(folded.model),
        ElementsAre("aten::quantize_per_tensor", "quantized::batch_norm_relu",
                    "quantized::conv2d", "ns::fbgemm_silu", "quantized::conv2d",
                    "ns::fbgemm_silu", "aten::mean", "quantized::conv2d",
                    "ns::fbgemm_mish", "quantized::conv2d", "aten::sigmoid",
                    "quantized::mul", "quantized::conv2d", "quantized::add",
                    "ns::fbgemm_gelu", "quantized::conv2d",
                    "aten::dequantize"));
    EXPECT_THAT(RunPass(LowerToFbgemm(), folded.model).remarks, IsEmpty());
  }
}

TEST(FoldedModelsTest, MlpIsQuantizedThroughout) {
  for (const std::string form : kForms) {
    const Folded folded = Fold("mlp", form);
    EXPECT_THAT(folded.remarks, IsEmpty());
    EXPECT_THAT(OpsOf(folded.model),
                ElementsAre("aten::quantize_per_tensor",
                            "quantized::linear_relu", "quantized::linear",
                            "quantized::add", "quantized::layer_norm",
                            "quantized::linear", "aten::dequantize"));
  }
}

TEST(FoldedModelsTest, FunctionsShapesAndControlFlowLeaveNothingInFloat) {
  for (const std::string name : {"functions", "many_convs", "shapes"}) {
    for (const std::string form : kForms) {
      SCOPED_TRACE(name + " " + form);
      const Folded folded = Fold(name, form);
      EXPECT_THAT(folded.remarks, IsEmpty());
      // PyTorch 2 gives each input of a stack a range of its own.
      const bool has_ranges = name == "shapes" && TORCH_VERSION_MAJOR >= 2;
      EXPECT_EQ(NodesOf(folded.model.graph(), "aten::dequantize").size(),
                has_ranges ? 3 : 1);
    }
  }
}

TEST(FoldedModelsTest, DynamicLayersAndEmbeddingsGiveTheReferencesNumbers) {
  const Folded folded = Fold("lookup", "traced");
  EXPECT_THAT(OpsOf(folded.model),
              ElementsAre("quantized::embedding_byte", "aten::mean",
                          "quantized::embedding_bag_byte", "aten::add",
                          "quantized::linear_relu_dynamic",
                          "quantized::linear_dynamic"));
  for (const std::string form : kForms) {
    EXPECT_TRUE(at::allclose(OutputOf(Fold("lookup", form).model, "lookup"),
                             OutputOf(Load("lookup", form), "lookup"), 1e-5,
                             1e-6));
  }
}

TEST(FoldedModelsTest, SaysWhatStaysInFloat) {
  for (const std::string form : kForms) {
    EXPECT_THAT(Fold("partial", form).remarks,
                ElementsAre("aten::linear: its output is not quantized",
                            "aten::gelu: its input is not dequantized from "
                            "known quantized values"));
  }
  // The arm that F.interpolate takes for tensors of another rank.
  EXPECT_THAT(
      Fold("resize", "scripted").remarks,
      ElementsAre("aten::upsample_nearest1d: no quantized op computes it"));
  EXPECT_THAT(Fold("resize", "traced").remarks, IsEmpty());
  // F.embedding_bag asks which of its arguments is the weight.
  EXPECT_THAT(Fold("lookup", "scripted").remarks,
              ElementsAre("aten::mean: its input is not dequantized from known "
                          "quantized values",
                          "aten::embedding_bag: its weight is not dequantized",
                          "aten::add: its input is not dequantized from known "
                          "quantized values"));
}

TEST(FoldedModelsTest, GiveTheSameOnKernelsOfOurs) {
  for (const std::string name :
       {"efficientnet_block", "functions", "lookup", "many_convs", "mlp",
        "mobilenet_block", "partial", "resize", "resnet_block", "shapes"}) {
    SCOPED_TRACE(name);
    Folded folded = Fold(name, "traced");
    for (const PassRemark& remark :
         RunPass(LowerToFbgemm(), folded.model).remarks) {
      EXPECT_FALSE(absl::StartsWith(remark.op, "quantized::conv") ||
                   absl::StartsWith(remark.op, "quantized::linear"))
          << remark.op << ": " << remark.reason;
    }
    Folded of_libtorch = Fold(name, "traced");
    if (IsFaulty(of_libtorch.model, at::globalContext().qEngine())) {
      continue;
    }
    const at::Tensor expected = OutputOf(std::move(of_libtorch.model), name);
    const at::Tensor output = OutputOf(std::move(folded.model), name);
    const double different = ((output - expected).abs() > 1e-5)
                                 .to(at::kDouble)
                                 .mean()
                                 .item<double>();
    EXPECT_LE(different, 0.001);
  }
}

}  // namespace
}  // namespace ns
