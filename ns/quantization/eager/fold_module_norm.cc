#include "ns/quantization/eager/fold_module_norm.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "ir/hierarchy/module_editor.h"
#include "ir/model/model_graph.h"
#include "passes/analysis/batch_norm.h"
#include "passes/analysis/subgraph_weights.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/quantization/layers/int8_form.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Module;
using ::torch::jit::Node;

bool IsLayer(const Node& node) { return PackedWeightInput(node) >= 0; }

bool IsNorm(const Node& node) { return OpName(node) == "aten::batch_norm"; }

// The one node of `graph` that `is` holds for.
template <typename Predicate>
absl::StatusOr<Node*> OneNode(Graph& graph, const Predicate& is,
                              absl::string_view what) {
  std::vector<Node*> found;
  ForEachNode(graph.block(), [&](Node* node) {
    if (is(*node)) {
      found.push_back(node);
    }
  });
  if (found.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its code has ", found.size(), " ", what, " instead of one"));
  }
  return found.front();
}

// Makes `tensor` the parameter `name` of `module`, also where that is None.
void SetParameter(Module& module, const std::string& name,
                  const at::Tensor& tensor) {
  const auto type = module.type();
  const auto slot = type->findAttributeSlot(name);
  if (slot && type->getAttribute(*slot)->kind() == c10::TypeKind::NoneType) {
    module._ivalue()->unsafeRemoveAttr(name);
    type->unsafeRemoveAttribute(name);
  }
  if (module.hasattr(name)) {
    module._ivalue()->setAttr(name, tensor);
  } else {
    module.register_parameter(name, tensor, /*is_buffer=*/false);
  }
}

// Traced code of a layer without bias has None for it: it reads the parameter
// now.
void UseBias(const Module& module) {
  for (torch::jit::Function* method : module.type()->methods()) {
    Graph& graph = *torch::jit::toGraphFunction(*method).graph();
    ForEachNode(graph.block(), [&](Node* node) {
      const torch::jit::Value* bias =
          IsLayer(*node) ? InputNamed(*node, "bias") : nullptr;
      if (bias == nullptr || !bias->mustBeNone() ||
          bias->node()->kind() != c10::prim::Constant) {
        return;
      }
      const torch::jit::WithInsertPoint in_front(node);
      torch::jit::Value* read = graph.insertGetAttr(graph.inputs()[0], "bias");
      for (size_t i = 0; i < node->inputs().size(); ++i) {
        if (node->input(i) == bias) {
          node->replaceInput(i, read->setType(c10::TensorType::get()));
          return;
        }
      }
    });
  }
}

}  // namespace

absl::StatusOr<Module> FoldModuleNorm(const Module& layer, const Module& norm) {
  NS_ASSIGN_OR_RETURN(const ModelGraph layer_code,
                      ModelGraph::FromModule(layer));
  NS_ASSIGN_OR_RETURN(const ModelGraph norm_code, ModelGraph::FromModule(norm));
  NS_ASSIGN_OR_RETURN(const Node* base,
                      OneNode(layer_code.graph(), IsLayer, "layers"));
  NS_ASSIGN_OR_RETURN(Node * batch_norm,
                      OneNode(norm_code.graph(), IsNorm, "batch norms"));
  NS_ASSIGN_OR_RETURN(const BatchNorm statistics, BatchNormOf(*batch_norm));
  NS_ASSIGN_OR_RETURN(
      const at::Tensor weight,
      ConstantTensor(*base->input(PackedWeightInput(*base)), "its weight"));
  NS_ASSIGN_OR_RETURN(at::Tensor bias,
                      ConstantTensorInput(*base, "bias", "its bias"));
  if (!bias.defined()) {
    bias = at::zeros_like(statistics.mean);
  }
  const bool is_linear = OpName(*base) == "aten::linear";
  NS_ASSIGN_OR_RETURN(const at::Tensor folded_weight,
                      FoldBatchNorm(weight, *base, *batch_norm));
  NS_ASSIGN_OR_RETURN(
      const at::Tensor folded_bias,
      BatchNormBias(bias, statistics,
                    is_linear ? NormedLayer::kLinear : NormedLayer::kConv));
  NS_ASSIGN_OR_RETURN(ModuleEditor copy, ModuleEditor::Copy(layer));
  SetParameter(copy.root(), "weight", folded_weight);
  SetParameter(copy.root(), "bias", folded_bias);
  UseBias(copy.root());
  // Copying gives the code the types of its attributes.
  NS_ASSIGN_OR_RETURN(const ModuleEditor typed,
                      ModuleEditor::Copy(copy.root()));
  return typed.root();
}

}  // namespace ns
