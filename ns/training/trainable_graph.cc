#include "ns/training/trainable_graph.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>

#include <cstdint>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "ir/graph/verifier.h"
#include "ir/model/attach_attribute.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/quantization/convert/calibrated_value.h"
#include "passes/quantization/convert/convert_observers.h"
#include "passes/runtime/observers/fake_quantize_weight.h"
#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/observer_options.h"
#include "passes/runtime/observers/values/qparams.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using ::torch::jit::Node;
using ::torch::jit::Value;

// Attributes, which have numbers behind them.
constexpr char kScale[] = "ns_scale_";
constexpr char kZeroPoint[] = "ns_zero_point_";

std::vector<Node*> NodesOf(Graph& graph) {
  std::vector<Node*> nodes;
  ForEachNode(graph.block(), [&](Node* node) { nodes.push_back(node); });
  return nodes;
}

// The constant weight or bias of floats that input `index` of `node` is, also
// behind the mark of a prepared layer; null for anything else.
Value* TrainableConstant(const Node& node, size_t index) {
  Value* input = node.input(index);
  if (InputNamed(node, "weight") != input &&
      InputNamed(node, "bias") != input) {
    return nullptr;
  }
  if (OpName(*input->node()) == kObservedWeight) {
    input = input->node()->input(0);
  }
  if (input->node()->kind() != c10::prim::Constant) {
    return nullptr;
  }
  const auto constant = ConstantOf(*input);
  const bool is_trainable = constant && constant->isTensor() &&
                            constant->toTensor().is_floating_point() &&
                            constant->toTensor().dim() > 0;
  return is_trainable ? input : nullptr;
}

// The constants of `graph` that are trained, in order.
std::vector<Value*> TrainableConstants(Graph& graph) {
  std::vector<Value*> constants;
  llvm::DenseSet<const Value*> seen;
  for (Node* node : NodesOf(graph)) {
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      Value* constant = TrainableConstant(*node, i);
      if (constant != nullptr && seen.insert(constant).second) {
        constants.push_back(constant);
      }
    }
  }
  return constants;
}

// Gives the constants that are trained memory of their own: what is copied of a
// graph shares that of its source.
void OwnConstants(Graph& graph) {
  for (Value* constant : TrainableConstants(graph)) {
    const torch::jit::WithInsertPoint in_front(constant->node());
    Value* own = graph.insertConstant(
        ConstantOf(*constant)->toTensor().detach().clone());
    own->node()->copyMetadata(constant->node());
    constant->replaceAllUsesWith(own);
    constant->node()->destroy();
  }
}

// Whether each layer of `record` will run in int8, as the observers are now.
absl::StatusOr<std::vector<bool>> QuantizedLayers(const ModelGraph& prepared,
                                                  const PreparedModel& record) {
  NS_ASSIGN_OR_RETURN(ModelGraph copy, prepared.Clone());
  NS_ASSIGN_OR_RETURN(const QuantizationReport report, ConvertObservers(copy));
  std::set<std::string> quantized;
  for (const LayerQuantization& layer : report.layers) {
    quantized.insert(layer.name);
  }
  std::vector<bool> is_quantized;
  for (const PreparedLayer& layer : record.layers) {
    is_quantized.push_back(quantized.count(layer.name) != 0);
  }
  return is_quantized;
}

// All integers of `dtype`.
QuantGrid IntegersOf(at::ScalarType dtype) {
  ObserverConfig config;
  config.dtype = dtype;
  return GridOf(config);
}

}  // namespace

absl::StatusOr<TrainableGraph> TrainableGraph::Create(
    const ModelGraph& prepared) {
  return CatchTorchErrors(
      "making the model trainable", [&]() -> absl::StatusOr<TrainableGraph> {
        NS_ASSIGN_OR_RETURN(ModelGraph own, prepared.Clone());
        OwnConstants(own.graph());
        NS_ASSIGN_OR_RETURN(ModelGraph graph, own.Clone());
        TrainableGraph trainable(std::move(own), std::move(graph));
        NS_RETURN_IF_ERROR(trainable.Rewrite());
        return trainable;
      });
}

absl::Status TrainableGraph::Rewrite() {
  NS_ASSIGN_OR_RETURN(const PreparedModel record,
                      AttachedPreparedModel(prepared_.module()));
  NS_ASSIGN_OR_RETURN(const std::vector<bool> is_quantized,
                      QuantizedLayers(prepared_, record));
  NS_RETURN_IF_ERROR(MakeParameters());
  NS_RETURN_IF_ERROR(ReplaceWeights(record, is_quantized));
  NS_RETURN_IF_ERROR(ReplaceObservers(record, is_quantized));
  torch::jit::EliminateDeadCode(graph_.shared_graph());
  DetachPreparedModel(graph_.module());
  NS_RETURN_IF_ERROR(VerifyGraph(graph_.graph()));
  return UseObservedRanges();
}

absl::Status TrainableGraph::MakeParameters() {
  Graph& graph = graph_.graph();
  const std::vector<Value*> constants = TrainableConstants(graph);
  if (constants.empty()) {
    return absl::InvalidArgumentError(
        "the model has no constant weights that could be trained");
  }
  for (Value* constant : constants) {
    const std::string name =
        FreeAttributeName(graph_.module(), "ns_parameter_");
    parameters_.push_back(
        ConstantOf(*constant)->toTensor().detach().set_requires_grad(true));
    graph_.module().register_parameter(name, parameters_.back(),
                                       /*is_buffer=*/false);
    const torch::jit::WithInsertPoint in_front(constant->node());
    Value* read = graph.insertGetAttr(graph.inputs()[0], name);
    constant->replaceAllUsesWith(read->setType(c10::TensorType::get()));
  }
  return absl::OkStatus();
}

absl::Status TrainableGraph::ReplaceWeights(
    const PreparedModel& record, const std::vector<bool>& is_quantized) {
  Graph& graph = graph_.graph();
  for (Node* mark : NodesOf(graph)) {
    if (OpName(*mark) != kObservedWeight) {
      continue;
    }
    const auto index =
        static_cast<size_t>(ConstantOf(*mark->input(1))->toInt());
    Value* weight = mark->input(0);
    if (is_quantized.at(index)) {
      NS_ASSIGN_OR_RETURN(const ObserverConfig config,
                          ParseObserverConfig(record.layers[index].weight));
      const torch::jit::WithInsertPoint in_front(mark);
      NS_ASSIGN_OR_RETURN(weight, InsertOp(graph, "ns::fake_quantize_weight",
                                           {weight, ObserverArgument(config)}));
      weight->node()->copyMetadata(mark);
    }
    mark->output()->replaceAllUsesWith(weight);
    mark->destroy();
  }
  return absl::OkStatus();
}

absl::Status TrainableGraph::ReplaceObservers(
    const PreparedModel& record, const std::vector<bool>& is_quantized) {
  std::set<std::string> used;
  for (size_t i = 0; i < record.layers.size(); ++i) {
    if (is_quantized[i]) {
      for (const int64_t input : record.layers[i].inputs) {
        used.insert(ObserverAttribute(input));
      }
      used.insert(ObserverAttribute(record.layers[i].output));
    }
  }
  // The numbers of the ranges of observers.
  std::map<std::string, std::string> numbers;
  for (Node* call : NodesOf(graph_.graph())) {
    if (!IsObserverCall(*call)) {
      continue;
    }
    const std::string name = call->input(0)->node()->s(c10::attr::name);
    Value* value = call->input(1);
    if (used.count(name) != 0) {
      const ObserverPtr observer = AttachedObserver(prepared_.module(), name);
      const auto [number, is_new] =
          numbers.insert({name, absl::StrCat(numbers.size())});
      if (is_new) {
        AddRange(number->second, observer);
      }
      const torch::jit::WithInsertPoint in_front(call);
      NS_ASSIGN_OR_RETURN(value,
                          InsertFakeQuantize(number->second, observer, *value));
      value->setType(call->output()->type());
      value->node()->copyMetadata(call);
    }
    call->output()->replaceAllUsesWith(value);
    call->destroy();
  }
  return absl::OkStatus();
}

void TrainableGraph::AddRange(const std::string& number,
                              const ObserverPtr& observer) {
  torch::jit::Module& module = graph_.module();
  const Range range = {at::ones({1}), at::zeros({1}, at::kInt), observer};
  module.register_buffer(absl::StrCat(kScale, number), range.scale);
  module.register_buffer(absl::StrCat(kZeroPoint, number), range.zero_point);
  module.register_attribute(absl::StrCat("ns_range_", number),
                            c10::getTypePtr<ObserverPtr>(), observer);
  ranges_.push_back(range);
}

absl::StatusOr<Value*> TrainableGraph::InsertFakeQuantize(
    const std::string& number, const ObserverPtr& observer, Value& value) {
  Graph& graph = graph_.graph();
  const auto read = [&](absl::string_view name) {
    return graph.insertGetAttr(graph.inputs()[0], absl::StrCat(name, number))
        ->setType(c10::TensorType::get());
  };
  const QuantGrid integers = IntegersOf(observer->config().dtype);
  return InsertOp(graph, "aten::fake_quantize_per_tensor_affine",
                  {&value, read(kScale), read(kZeroPoint), integers.quant_min,
                   integers.quant_max});
}

absl::Status TrainableGraph::UseObservedRanges() {
  std::vector<QParams> found;
  for (const Range& range : ranges_) {
    const CalibratedValue value = AskObserver(range.observer);
    NS_RETURN_IF_ERROR(value.status);
    found.push_back(value.qparams);
  }
  for (size_t i = 0; i < ranges_.size(); ++i) {
    ranges_[i].scale.fill_(found[i].scale);
    ranges_[i].zero_point.fill_(found[i].zero_point);
  }
  return absl::OkStatus();
}

absl::Status TrainableGraph::RenewRanges(
    const std::function<absl::Status(const ModelGraph& prepared)>& calibrate) {
  std::vector<std::pair<ObserverState, SeenTensors>> before;
  for (const Range& range : ranges_) {
    before.emplace_back(range.observer->State(), range.observer->seen());
    range.observer->Reset();
  }
  const auto restore = [&](bool all) {
    for (size_t i = 0; i < ranges_.size(); ++i) {
      const ObserverPtr& observer = ranges_[i].observer;
      if (all || observer->seen().least_rank < 0) {
        observer->SetState(before[i].first);
        observer->SetSeen(before[i].second);
      }
    }
  };
  absl::Status status = calibrate(prepared_);
  if (status.ok()) {
    restore(/*all=*/false);
    status = UseObservedRanges();
  }
  if (!status.ok()) {
    restore(/*all=*/true);
  }
  return status;
}

}  // namespace ns
