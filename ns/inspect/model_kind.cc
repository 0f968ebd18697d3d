#include "ns/inspect/model_kind.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "ir/model/model_graph.h"
#include "ns/eager/module_tree.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// What the nodes of a graph are, for the kind of the model.
struct Census {
  bool has_int8 = false;
  bool has_dynamic = false;
  bool has_small_weights = false;
  bool has_quantize = false;
  bool has_dequantize = false;
  bool has_observers = false;
  bool has_lowered = false;
};

void Count(const Node& node, const OpRow& row, Census& census) {
  census.has_lowered |= IsLoweredOp(row.op);
  census.has_observers |= row.role == Role::kObserve;
  census.has_quantize |= row.role == Role::kQuantize;
  if (row.role == Role::kDequantize) {
    const bool is_weight =
        !node.inputs().empty() &&
        (node.input(0)->node()->kind() == torch::jit::prim::Constant ||
         node.input(0)->node()->kind() == torch::jit::prim::GetAttr);
    census.has_small_weights |= is_weight;
    census.has_dequantize |= !is_weight;
  }
  if (row.role != Role::kCompute) {
    return;
  }
  if (row.weight_form == WeightForm::kPackedEmbedding) {
    // It takes indices and gives floats.
    census.has_small_weights = true;
    return;
  }
  census.has_int8 |=
      row.numerics == Numerics::kInt8 || row.numerics == Numerics::kInt8ToFloat;
  census.has_dynamic |= row.numerics == Numerics::kDynamic;
  census.has_small_weights |= row.numerics == Numerics::kFp16;
}

ModelKind KindOf(const Census& census) {
  if (census.has_observers) {
    return ModelKind::kPrepared;
  }
  if (census.has_lowered) {
    return ModelKind::kLowered;
  }
  if (census.has_int8) {
    return census.has_dynamic ? ModelKind::kMixed : ModelKind::kStatic;
  }
  if (census.has_dynamic) {
    return ModelKind::kDynamic;
  }
  if (census.has_quantize && census.has_dequantize) {
    return ModelKind::kReference;
  }
  return census.has_small_weights ? ModelKind::kWeightOnly : ModelKind::kFloat;
}

bool IsObserver(absl::string_view type) {
  return absl::EndsWith(type, "Observer") ||
         absl::StrContains(type, "FakeQuantize");
}

// Whether modules of `module`, or objects in its attributes, observe values or
// stand for quantization.
bool HasObservers(const torch::jit::Module& module) {
  const auto& type = *module.type();
  for (size_t i = 0; i < type.numAttributes(); ++i) {
    if (IsObserver(type.getAttribute(i)->annotation_str())) {
      return true;
    }
  }
  return absl::c_any_of(TypeNames(module), IsObserver);
}

absl::StatusOr<Census> CensusOf(const torch::jit::Module& module,
                                const std::string& method) {
  ModelGraphOptions options;
  options.method = method;
  options.freeze = false;
  NS_ASSIGN_OR_RETURN(const ModelGraph model,
                      ModelGraph::FromModule(module, options));
  Census census;
  ForEachNode(model.graph().block(), [&](const Node* node) {
    if (const OpRow* const row = FindOp(OpName(*node))) {
      Count(*node, *row, census);
    }
  });
  census.has_observers |= HasObservers(module);
  return census;
}

}  // namespace

const char* ModelKindName(ModelKind kind) {
  switch (kind) {
    case ModelKind::kFloat:
      return "float";
    case ModelKind::kStatic:
      return "static int8";
    case ModelKind::kDynamic:
      return "dynamic int8";
    case ModelKind::kMixed:
      return "static and dynamic int8";
    case ModelKind::kWeightOnly:
      return "weight-only";
    case ModelKind::kReference:
      return "reference";
    case ModelKind::kPrepared:
      return "prepared";
    case ModelKind::kLowered:
      return "lowered";
  }
  return "";
}

absl::StatusOr<ModelKind> KindOfModel(const torch::jit::Module& module,
                                      const std::string& method) {
  NS_ASSIGN_OR_RETURN(const Census census, CensusOf(module, method));
  return KindOf(census);
}

}  // namespace ns
