#include "ns/quantization/eager/qat_embedding.h"

#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ir/graph/constant_argument.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/module_path.h"
#include "ir/graph/node_view.h"
#include "ir/hierarchy/make_module.h"
#include "ir/hierarchy/module_editor.h"
#include "ir/hierarchy/module_fields.h"
#include "ir/model/insert_method_call.h"
#include "ir/model/model_graph.h"
#include "ns/quantization/eager/module_observers.h"
#include "passes/quantization/observe/observer_object.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Module;
using ::torch::jit::Node;
using ::torch::jit::Value;

bool LooksUp(const Node& node) {
  return OpName(node) == "aten::embedding" ||
         OpName(node) == "aten::embedding_bag";
}

// Whether `lookup` always reads rows of `weight`. Freezing detaches parameters,
// so the constant is another tensor with the same memory.
bool LooksUpIn(const at::Tensor& weight, const Node& lookup) {
  const std::optional<c10::IValue> constant =
      ConstantArgument(lookup, "weight");
  if (!constant || !constant->isTensor()) {
    return false;
  }
  const at::Tensor& rows = constant->toTensor();
  return rows.has_storage() && weight.has_storage() &&
         rows.is_alias_of(weight) && rows.data_ptr() == weight.data_ptr() &&
         rows.sizes() == weight.sizes() && rows.strides() == weight.strides();
}

// Lets the code look up in the fake quantized weight of `made`.
absl::Status UseFakeQuant(const Module& made, Graph& graph) {
  std::vector<Node*> lookups;
  ForEachNode(graph.block(), [&](Node* node) {
    if (LooksUp(*node)) {
      lookups.push_back(node);
    }
  });
  if (lookups.empty()) {
    return absl::InvalidArgumentError("its code looks up no table");
  }
  const at::Tensor table = made.attr("weight").toTensor();
  if (!absl::c_all_of(lookups, [&](const Node* lookup) {
        return LooksUpIn(table, *lookup);
      })) {
    return absl::InvalidArgumentError(
        "its code looks up in another table than its tensor 'weight', which "
        "alone is trained; give each table a module of its own");
  }
  graph.inputs()[0]->setType(made.type());
  for (Node* lookup : lookups) {
    const torch::jit::WithInsertPoint in_front(lookup);
    Value* weight = graph.insertGetAttr(graph.inputs()[0], "weight");
    weight->setType(c10::TensorType::get());
    NS_ASSIGN_OR_RETURN(Value * rounded,
                        InsertMethodCall(made, graph, kWeightFakeQuantAttribute,
                                         "forward", {weight}, lookup));
    lookup->replaceInputWith(InputNamed(*lookup, "weight"), rounded);
  }
  return absl::OkStatus();
}

}  // namespace

bool IsQatEmbeddingType(absl::string_view type) {
  return IsTypeNamed("torch.ao.nn.qat.modules.embedding_ops.Embedding", type) ||
         IsTypeNamed("torch.ao.nn.qat.modules.embedding_ops.EmbeddingBag",
                     type);
}

absl::StatusOr<Module> MakeQatEmbedding(const Module& module,
                                        absl::string_view type,
                                        const QConfig& qconfig) {
  if (qconfig.weight.config.qscheme != at::kPerChannelAffineFloatQParams) {
    return absl::InvalidArgumentError(
        "the weight of an embedding is trained with the scheme "
        "per_channel_affine_float_qparams, as DefaultEmbeddingQatQConfig has "
        "it");
  }
  if (!module.hasattr("weight") || !module.attr("weight").isTensor() ||
      !module.find_method("forward")) {
    return absl::InvalidArgumentError("it has no weight, or no forward");
  }
  Module made = NewModule(type);
  made.register_parameter("weight", module.attr("weight").toTensor(),
                          /*is_buffer=*/false);
  NS_ASSIGN_OR_RETURN(const c10::IValue fake_quant,
                      MakeObserverObject(qconfig.weight));
  made.register_attribute(kWeightFakeQuantAttribute, fake_quant.type(),
                          fake_quant);
  CopyFields(module, made);
  NS_ASSIGN_OR_RETURN(const ModelGraph flat, ModelGraph::FromModule(module));
  const std::shared_ptr<Graph> graph = flat.graph().copy();
  NS_RETURN_IF_ERROR(UseFakeQuant(made, *graph));
  AddMethod(made, "forward", graph,
            module.get_method("forward").function().getSchema());
  made.setattr("training", module.is_training());
  return made;
}

absl::StatusOr<Module> FloatEmbedding(const Module& trained) {
  NS_ASSIGN_OR_RETURN(ModuleEditor copy, ModuleEditor::Copy(trained));
  NS_RETURN_IF_ERROR(copy.Unhook({""}, kWeightFakeQuantAttribute));
  return copy.root();
}

}  // namespace ns
