#include "ns/search/noise_graph.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/control_flow.h"
#include "ir/graph/graph_copy.h"
#include "ir/graph/node_view.h"
#include "ir/graph/verifier.h"
#include "ir/model/attach_attribute.h"
#include "ir/model/insert_method_call.h"
#include "llvm/ADT/DenseMap.h"
#include "passes/quantization/layers/int8_form.h"
#include "passes/quantization/layers/int8_operands.h"
#include "passes/quantization/layers/layer_site.h"
#include "passes/rewrite/differentiable_graph.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Use;
using ::torch::jit::Value;

constexpr char kTap[] = "ns_noise_tap_";

// Values have all integers of their dtype, as quantized ops give them, also
// where the scale was chosen for fewer.
RoundingEvent RoundingOf(int number, const CalibratedValue& found) {
  RoundingEvent event;
  event.event = number;
  event.qparams = {at::full({1}, found.qparams.scale, at::kFloat),
                   at::full({1}, found.qparams.zero_point, at::kInt)};
  event.config.dtype = found.observer->config().dtype;
  return event;
}

}  // namespace

absl::StatusOr<NoiseGraph> NoiseGraph::Create(const SearchSpace& space,
                                              const CalibratedValues& values) {
  NS_ASSIGN_OR_RETURN(ModelGraph model, space.base().Clone());
  NS_ASSIGN_OR_RETURN(NoiseEvents events, NoiseEvents::Find(space, values));
  NoiseGraph graph(space, std::move(model), std::move(events));
  graph.record_ = std::make_shared<NoiseRecord>(graph.events_.count());
  NS_RETURN_IF_ERROR(
      CatchTorchErrors("inserting taps", [&] { return graph.InsertTaps(); }));
  NS_RETURN_IF_ERROR(VerifyGraph(graph.model_.graph()));
  return graph;
}

absl::Status NoiseGraph::InsertTaps() {
  const GraphCopy copy(space_->base().graph(), model_.graph());
  MakeDifferentiable(model_.graph());
  for (const auto& [edge, events] : events_.edges()) {
    NS_RETURN_IF_ERROR(
        TapEdge(*copy.Of(edge.first), *copy.Of(edge.second), events));
  }
  for (const FloatSubgraph& layer : space_->subgraphs()) {
    const auto found = events_.layers().find(layer.name);
    if (found == events_.layers().end()) {
      continue;
    }
    NS_RETURN_IF_ERROR(TapLayer(layer, found->second, copy));
  }
  return absl::OkStatus();
}

std::pair<std::vector<Node*>, Value*> NoiseGraph::AllNodesOf(
    const FloatSubgraph& layer) const {
  std::vector<Node*> nodes;
  const std::vector<Int8Operand> operands = *Int8OperandsOf(layer.subgraph);
  for (const Int8Operand& operand : operands) {
    if (operand.user->kind() == c10::prim::ListConstruct &&
        !absl::c_linear_search(nodes, operand.user)) {
      nodes.push_back(operand.user);
    }
  }
  nodes.insert(nodes.end(), layer.subgraph.nodes.begin(),
               layer.subgraph.nodes.end());
  Value* output = layer.output;
  while (const Node* user = OnlyUser(*output)) {
    const auto clamp = absl::c_find_if(
        space_->subgraphs(), [&](const FloatSubgraph& subgraph) {
          return subgraph.subgraph.base == user && IsNoiselessClamp(subgraph);
        });
    if (clamp == space_->subgraphs().end()) {
      break;
    }
    nodes.push_back(clamp->subgraph.base);
    output = clamp->output;
  }
  return {std::move(nodes), output};
}

absl::StatusOr<Value*> NoiseGraph::Call(const c10::IValue& object,
                                        const std::vector<Value*>& arguments,
                                        Node* place) {
  const std::string name = AttachAttribute(model_.module(), kTap, object);
  NS_ASSIGN_OR_RETURN(Value * result, InsertMethodCall(model_, name, "forward",
                                                       arguments, place));
  result->setType(arguments.front()->type());
  return result;
}

absl::Status NoiseGraph::TapEdge(Value& value, Node& user,
                                 const std::vector<EdgeNoiseEvent>& events) {
  std::vector<RoundingEvent> roundings;
  for (const EdgeNoiseEvent& event : events) {
    roundings.push_back(RoundingOf(event.number, event.input));
  }
  const auto tap =
      c10::make_intrusive<EdgeNoiseTap>(record_, std::move(roundings));
  tap->SetRounds(events.front().rounds);
  taps_.push_back(tap);
  NS_ASSIGN_OR_RETURN(Value * tapped, Call(c10::IValue(tap), {&value}, &user));
  const std::vector<Use> uses(value.uses().begin(), value.uses().end());
  for (const Use& use : uses) {
    if (use.user != tapped->node() &&
        (use.user == &user || IsInside(*use.user, user))) {
      use.user->replaceInput(use.offset, tapped);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Value*> NoiseGraph::InsertCandidate(
    const FloatSubgraph& layer, const std::vector<Node*>& nodes,
    const Value& output, const LayerNoiseEvent& event, const GraphCopy& copy) {
  torch::jit::Graph& graph = model_.graph();
  const std::vector<Int8Operand> operands = *Int8OperandsOf(layer.subgraph);
  llvm::DenseMap<const Value*, Value*> others;
  for (const Node* original : nodes) {
    Node* node = copy.Of(original);
    Node* other = graph.createClone(node, [&](Value* value) {
      const auto found = others.find(value);
      return found == others.end() ? value : found->second;
    });
    for (size_t i = 0; i < operands.size() && i < event.inputs.size(); ++i) {
      if (operands[i].user != original || !event.inputs[i]) {
        continue;
      }
      for (size_t j = 0; j < original->inputs().size(); ++j) {
        if (original->input(j) != operands[i].value) {
          continue;
        }
        NS_ASSIGN_OR_RETURN(
            Value * rounded,
            Call(c10::IValue(c10::make_intrusive<RoundedInput>(
                     record_, RoundingOf(/*number=*/0, *event.inputs[i]))),
                 {node->input(j)}, graph.insertPoint()));
        other->replaceInput(j, rounded);
      }
    }
    if (original == layer.subgraph.base && event.weight.defined()) {
      other->replaceInput(static_cast<size_t>(PackedWeightInput(*original)),
                          graph.insertConstant(event.weight));
      if (event.shift.defined()) {
        const size_t bias = ArgumentIndex(*node, "bias");
        const auto constant = ConstantOf(*node->input(bias));
        other->replaceInput(
            bias, graph.insertConstant(constant->isTensor()
                                           ? constant->toTensor().detach() +
                                                 event.shift
                                           : event.shift));
      }
    }
    graph.insertNode(other);
    others[node->output()] = other->output();
  }
  return others.lookup(copy.Of(&output));
}

absl::Status NoiseGraph::TapLayer(const FloatSubgraph& layer,
                                  const std::vector<LayerNoiseEvent>& events,
                                  const GraphCopy& copy) {
  const auto [nodes, original] = AllNodesOf(layer);
  Value& output = *copy.Of(original);
  Node* place = PlaceAfter(output);
  const torch::jit::WithInsertPoint behind(place);
  std::vector<RoundingEvent> roundings;
  std::vector<Value*> others;
  for (const LayerNoiseEvent& event : events) {
    roundings.push_back(RoundingOf(event.number, event.output));
    NS_ASSIGN_OR_RETURN(Value * other,
                        InsertCandidate(layer, nodes, *original, event, copy));
    others.push_back(other);
  }
  for (const LayerNoiseEvent& event : events) {
    roundings.push_back(RoundingOf(event.alone_number, event.output));
  }
  Node* list = model_.graph().insertNode(
      model_.graph().createList(c10::TensorType::get(), others));
  const auto tap =
      c10::make_intrusive<LayerNoiseTap>(record_, std::move(roundings));
  tap->SetRounds(events.front().rounds);
  taps_.push_back(tap);
  NS_ASSIGN_OR_RETURN(Value * tapped,
                      Call(c10::IValue(tap), {&output, list->output()}, place));
  const std::vector<Use> uses(output.uses().begin(), output.uses().end());
  for (const Use& use : uses) {
    if (use.user != tapped->node() && use.user != list) {
      use.user->replaceInput(use.offset, tapped);
    }
  }
  return absl::OkStatus();
}

void NoiseGraph::Begin(NoiseRun run) {
  record_->run = run;
  for (const c10::intrusive_ptr<NoiseTap>& tap : taps_) {
    tap->Begin();
  }
}

}  // namespace ns
