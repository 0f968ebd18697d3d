#include "ns/search/noise_graph.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "ir/attach_attribute.h"
#include "ir/graph_copy.h"
#include "ir/insert_method_call.h"
#include "ir/node_view.h"
#include "ir/status.h"
#include "ir/torch_errors.h"
#include "ir/verifier.h"
#include "passes/ops/fusion_patterns.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/constant_weights.h"
#include "passes/quantization/int8_form.h"
#include "passes/quantization/int8_operands.h"
#include "passes/quantization/layer_site.h"
#include "passes/runtime/observers/observer_options.h"

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

bool IsIn(const Node* node, const Node* around) {
  while (node != nullptr && node != around) {
    node = node->owningBlock()->owningNode();
  }
  return node != nullptr;
}

// Whether the output of `layer` is made of values that are rounded already,
// with the same scale.
bool IsExact(const PlannedLayer& layer, const FloatSubgraph& subgraph) {
  const OpRow* row = FindOp(OpName(*subgraph.subgraph.base));
  const bool moves =
      row != nullptr && (row->spelling->fold == FoldForm::kSameOpExactly ||
                         row->spelling->fold == FoldForm::kList);
  return moves && !layer.inputs.empty() &&
         absl::c_all_of(layer.inputs,
                        [&](int input) { return input == layer.output; });
}

// Whether `subgraph` is a relu or clamp that takes rounded values and gives
// some of them.
bool IsClamp(const FloatSubgraph& subgraph) {
  const absl::StatusOr<Int8Form> form = Int8FormOf(*subgraph.subgraph.base);
  return form.ok() && *form == Int8Form::kRangeOfInput &&
         IsActivation(subgraph.family) && subgraph.subgraph.nodes.size() == 1;
}

}  // namespace

int NoiseGraph::SpecIndex(const ObserverSpec& spec) {
  if (const int found = FindSpec(spec); found >= 0) {
    return found;
  }
  specs_.push_back(spec);
  return static_cast<int>(specs_.size()) - 1;
}

int NoiseGraph::FindSpec(const ObserverSpec& spec) const {
  const auto found = absl::c_find(specs_, spec);
  return found == specs_.end() ? -1 : static_cast<int>(found - specs_.begin());
}

absl::StatusOr<NoiseGraph> NoiseGraph::Create(const SearchSpace& space,
                                              const CalibratedValues& values) {
  NS_ASSIGN_OR_RETURN(ModelGraph model, space.base().Clone());
  NoiseGraph graph(space, values, std::move(model));
  for (size_t i = 0; i < space.candidates().size(); ++i) {
    NS_RETURN_IF_ERROR(graph.FindEvents(static_cast<int>(i)));
  }
  graph.record_ = std::make_shared<NoiseRecord>(graph.event_count_);
  NS_RETURN_IF_ERROR(
      CatchTorchErrors("inserting taps", [&] { return graph.InsertTaps(); }));
  NS_RETURN_IF_ERROR(VerifyGraph(graph.model_.graph()));
  return graph;
}

absl::Status NoiseGraph::FindEvents(int candidate) {
  const ObserverPlan& plan = space_->UniformPlan(candidate);
  for (const PlannedLayer& layer : plan.layers) {
    NS_RETURN_IF_ERROR(FindLayerEvent(
        plan, layer, FindEdgeEvents(plan, layer, candidate), candidate == 0));
  }
  return absl::OkStatus();
}

absl::Status NoiseGraph::FindLayerEvent(
    const ObserverPlan& plan, const PlannedLayer& layer,
    const std::vector<std::optional<CalibratedValue>>& inputs, bool rounds) {
  const FloatSubgraph& subgraph = *space_->Find(layer.name);
  if (IsExact(layer, subgraph)) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(const auto output, values_->Answer(plan, layer.output));
  if (!output || !output->status.ok()) {
    return absl::OkStatus();  // It stays float.
  }
  LayerEvent event{event_count_, event_count_ + 1, *output, inputs, {}, {},
                   rounds};
  int weight_spec = -1;
  if (layer.weight >= 0) {
    const ObservedWeight& observed =
        plan.weights[static_cast<size_t>(layer.weight)];
    weight_spec = SpecIndex(observed.spec);
    const auto weight = ConstantTensor(
        *observed.node->input(static_cast<size_t>(observed.input)),
        "its weight");
    const absl::StatusOr<at::Tensor> quantized =
        weight.ok() && weight->defined()
            ? QuantizedBySpec(*weight, observed.spec)
            : absl::StatusOr<at::Tensor>(weight.status());
    if (!quantized.ok()) {
      return absl::OkStatus();
    }
    event.weight = quantized->dequantize();
    event.shift = values_->ShiftOf(layer.name, *weight, event.weight);
    if (event.shift.defined()) {
      corrected_.insert({layer.name, weight_spec});
    }
  }
  const int spec = SpecIndex(plan.observers[static_cast<size_t>(layer.output)]);
  if (layer_numbers_
          .insert({{layer.name, spec, weight_spec},
                   {event.number, event.alone_number}})
          .second) {
    layer_events_[layer.name].push_back(std::move(event));
    event_count_ += 2;
  }
  return absl::OkStatus();
}

std::vector<std::optional<CalibratedValue>> NoiseGraph::FindEdgeEvents(
    const ObserverPlan& plan, const PlannedLayer& layer, int candidate) {
  const FloatSubgraph& subgraph = *space_->Find(layer.name);
  if (IsClamp(subgraph)) {
    return {};  // It never rounds what it is given.
  }
  const ObserverSpec spec = space_->candidates()[static_cast<size_t>(candidate)]
                                .mapping.Choose(subgraph)
                                .qconfig->activation;
  const std::vector<Int8Operand> operands = *Int8OperandsOf(subgraph.subgraph);
  std::vector<std::optional<CalibratedValue>> inputs;
  for (const Int8Operand& operand : operands) {
    const auto point = absl::c_find_if(plan.points, [&](const auto& one) {
      return one.value == operand.value &&
             absl::c_linear_search(one.users, operand.user);
    });
    // Operands that have one scale, as those of a concatenation have, get that
    // of the model in which all layers run in int8.
    const bool has_one_scale =
        layer.inputs.size() > 1 && absl::c_all_of(layer.inputs, [&](int one) {
          return one == layer.inputs.front();
        });
    std::optional<CalibratedValue> input;
    if (point != plan.points.end() || has_one_scale) {
      auto shared = values_->Answer(plan, point != plan.points.end()
                                              ? point->observer
                                              : layer.inputs.front());
      input = shared.ok() ? *shared : std::nullopt;
    }
    if (!input) {
      input = values_->Answer(operand.value, spec);
    }
    if (input && !input->status.ok()) {
      input.reset();
    }
    inputs.push_back(input);
    if (!input) {
      continue;
    }
    const bool rounds = candidate == 0 && point != plan.points.end();
    if (edge_numbers_
            .insert(
                {{operand.value, operand.user, SpecIndex(spec)}, event_count_})
            .second) {
      edge_events_[{operand.value, operand.user}].push_back(
          {event_count_++, *input, rounds});
    }
  }
  return inputs;
}

absl::Status NoiseGraph::InsertTaps() {
  const GraphCopy copy(space_->base().graph(), model_.graph());
  for (const auto& [place, events] : edge_events_) {
    NS_RETURN_IF_ERROR(
        TapEdge(*copy.Of(place.first), *copy.Of(place.second), events));
  }
  for (const FloatSubgraph& layer : space_->subgraphs()) {
    const auto found = layer_events_.find(layer.name);
    if (found == layer_events_.end()) {
      continue;
    }
    NS_RETURN_IF_ERROR(TapLayer(layer, found->second, copy));
  }
  layer_events_.clear();
  edge_events_.clear();
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
          return subgraph.subgraph.base == user && IsClamp(subgraph);
        });
    if (clamp == space_->subgraphs().end()) {
      break;
    }
    nodes.push_back(clamp->subgraph.base);
    output = clamp->output;
  }
  return {std::move(nodes), output};
}

absl::Status NoiseGraph::TapEdge(Value& value, Node& user,
                                 const std::vector<EdgeEvent>& events) {
  std::vector<RoundingEvent> roundings;
  for (const EdgeEvent& event : events) {
    roundings.push_back(RoundingOf(event.number, event.input));
  }
  const auto tap =
      c10::make_intrusive<EdgeNoiseTap>(record_, std::move(roundings));
  tap->SetRounds(events.front().rounds);
  taps_.push_back(tap);
  const std::string name =
      AttachAttribute(model_.module(), kTap, c10::IValue(tap));
  NS_ASSIGN_OR_RETURN(Value * tapped, InsertMethodCall(model_, name, "forward",
                                                       {&value}, &user));
  tapped->setType(value.type());
  const std::vector<Use> uses(value.uses().begin(), value.uses().end());
  for (const Use& use : uses) {
    if (use.user != tapped->node() && IsIn(use.user, &user)) {
      use.user->replaceInput(use.offset, tapped);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Value*> NoiseGraph::InsertCandidate(
    const FloatSubgraph& layer, const std::vector<Node*>& nodes,
    const Value& output, const LayerEvent& event, const GraphCopy& copy) {
  torch::jit::Graph& graph = model_.graph();
  const std::vector<Int8Operand> operands = *Int8OperandsOf(layer.subgraph);
  absl::flat_hash_map<const Value*, Value*> others;
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
        const std::string name = AttachAttribute(
            model_.module(), kTap,
            c10::IValue(c10::make_intrusive<RoundedInput>(
                record_, RoundingOf(/*number=*/0, *event.inputs[i]))));
        NS_ASSIGN_OR_RETURN(
            Value * rounded,
            InsertMethodCall(model_, name, "forward", {node->input(j)},
                             graph.insertPoint()));
        rounded->setType(node->input(j)->type());
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
  return others.at(copy.Of(&output));
}

absl::Status NoiseGraph::TapLayer(const FloatSubgraph& layer,
                                  const std::vector<LayerEvent>& events,
                                  const GraphCopy& copy) {
  const auto [nodes, original] = AllNodesOf(layer);
  Value& output = *copy.Of(original);
  Node* place = PlaceAfter(output);
  const torch::jit::WithInsertPoint behind(place);
  std::vector<RoundingEvent> roundings;
  std::vector<Value*> others;
  for (const LayerEvent& event : events) {
    roundings.push_back(RoundingOf(event.number, event.output));
    NS_ASSIGN_OR_RETURN(Value * other,
                        InsertCandidate(layer, nodes, *original, event, copy));
    others.push_back(other);
  }
  for (const LayerEvent& event : events) {
    roundings.push_back(RoundingOf(event.alone_number, event.output));
  }
  Node* list = model_.graph().insertNode(
      model_.graph().createList(c10::TensorType::get(), others));
  const auto tap =
      c10::make_intrusive<LayerNoiseTap>(record_, std::move(roundings));
  tap->SetRounds(events.front().rounds);
  taps_.push_back(tap);
  const std::string name =
      AttachAttribute(model_.module(), kTap, c10::IValue(tap));
  NS_ASSIGN_OR_RETURN(Value * tapped,
                      InsertMethodCall(model_, name, "forward",
                                       {&output, list->output()}, place));
  tapped->setType(output.type());
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

std::set<std::string> NoiseGraph::CorrectedLayers(
    const ObserverPlan& plan) const {
  std::set<std::string> corrected;
  for (const PlannedLayer& layer : plan.layers) {
    if (layer.weight >= 0 &&
        corrected_.count(
            {layer.name,
             FindSpec(plan.weights[static_cast<size_t>(layer.weight)].spec)}) !=
            0) {
      corrected.insert(layer.name);
    }
  }
  return corrected;
}

std::vector<int> NoiseGraph::EventsOf(const ObserverPlan& plan) const {
  std::vector<int> events;
  for (const PlannedLayer& layer : plan.layers) {
    absl::c_copy(EventsOfLayer(plan, layer), std::back_inserter(events));
  }
  return events;
}

std::vector<int> NoiseGraph::EventsOfLayer(const ObserverPlan& plan,
                                           const PlannedLayer& layer) const {
  const FloatSubgraph& subgraph = *space_->Find(layer.name);
  const std::vector<Int8Operand> operands = *Int8OperandsOf(subgraph.subgraph);
  // The edges by which inputs are rounded for this layer.
  std::vector<int> edges;
  size_t rounded = 0;
  for (const Int8Operand& operand : operands) {
    const auto point = absl::c_find_if(plan.points, [&](const auto& one) {
      return one.value == operand.value &&
             absl::c_linear_search(one.users, operand.user);
    });
    if (point == plan.points.end()) {
      continue;
    }
    ++rounded;
    const auto found = edge_numbers_.find(
        {operand.value, operand.user,
         FindSpec(plan.observers[static_cast<size_t>(point->observer)])});
    if (found != edge_numbers_.end() &&
        !absl::c_linear_search(edges, found->second)) {
      edges.push_back(found->second);
    }
  }
  if (IsExact(layer, subgraph)) {
    return edges;
  }
  const int spec = FindSpec(plan.observers[static_cast<size_t>(layer.output)]);
  const int weight =
      layer.weight < 0
          ? -1
          : FindSpec(plan.weights[static_cast<size_t>(layer.weight)].spec);
  const auto found = layer_numbers_.find({layer.name, spec, weight});
  if (found == layer_numbers_.end()) {
    return edges;
  }
  const auto [number, alone_number] = found->second;
  if (rounded == operands.size()) {
    return {alone_number};
  }
  edges.push_back(number);
  return edges;
}

}  // namespace ns
