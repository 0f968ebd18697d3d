#include "ns/search/noise_events.h"

#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/graph/node_view.h"
#include "passes/ops/fusion_patterns.h"
#include "passes/ops/op_table.h"
#include "passes/quantization/layers/constant_weights.h"
#include "passes/quantization/layers/int8_form.h"

namespace ns {
namespace {

// Whether ops of this kind move values of one scale without an error.
bool MovesRounded(const FloatSubgraph& subgraph) {
  const OpRow* row = FindOp(OpName(*subgraph.subgraph.base));
  return row != nullptr && (row->spelling->fold == FoldForm::kSameOpExactly ||
                            row->spelling->fold == FoldForm::kList);
}

// Whether all that the layer takes and gives has one scale.
bool HasOneScale(const PlannedLayer& layer) {
  return !layer.inputs.empty() && absl::c_all_of(layer.inputs, [&](int input) {
    return input == layer.output;
  });
}

const ObserverSpec& SpecAt(const ObserverPlan& plan, int observer) {
  return plan.observers[static_cast<size_t>(observer)];
}

}  // namespace

// The points of a plan by the edges that they are on.
class NoiseEvents::Points {
 public:
  explicit Points(const ObserverPlan& plan) {
    for (const ObservedPoint& point : plan.points) {
      for (Node* user : point.users) {
        points_.insert({{point.value, user}, &point});
      }
    }
  }

  // Null where the operand is quantized where it is made.
  const ObservedPoint* Find(const Int8Operand& operand) const {
    const auto found = points_.find({operand.value, operand.user});
    return found == points_.end() ? nullptr : found->second;
  }

 private:
  using Node = torch::jit::Node;

  std::map<NoiseEdge, const ObservedPoint*> points_;
};

bool IsNoiselessClamp(const FloatSubgraph& subgraph) {
  const absl::StatusOr<Int8Form> form = Int8FormOf(*subgraph.subgraph.base);
  return form.ok() && *form == Int8Form::kRangeOfInput &&
         IsActivation(subgraph.family) && subgraph.subgraph.nodes.size() == 1;
}

absl::StatusOr<NoiseEvents> NoiseEvents::Find(const SearchSpace& space,
                                              const CalibratedValues& values) {
  NoiseEvents events(space, values);
  events.AddFacts();
  for (size_t i = 0; i < space.candidates().size(); ++i) {
    NS_RETURN_IF_ERROR(events.FindEvents(i));
  }
  return events;
}

int NoiseEvents::SpecIndex(const ObserverSpec& spec) {
  if (const int found = FindSpec(spec); found >= 0) {
    return found;
  }
  specs_.push_back(spec);
  return static_cast<int>(specs_.size()) - 1;
}

int NoiseEvents::FindSpec(const ObserverSpec& spec) const {
  const auto found = absl::c_find(specs_, spec);
  return found == specs_.end() ? -1 : static_cast<int>(found - specs_.begin());
}

void NoiseEvents::AddFacts() {
  for (const FloatSubgraph& subgraph : space_->subgraphs()) {
    LayerFacts& facts = facts_[subgraph.name];
    facts.subgraph = &subgraph;
    facts.operands =
        Int8OperandsOf(subgraph.subgraph).value_or(std::vector<Int8Operand>());
    facts.moves = MovesRounded(subgraph);
  }
  for (const SearchLayer& layer : space_->layers()) {
    facts_[space_->subgraphs()[layer.subgraph].name].has_choice = true;
  }
}

bool NoiseEvents::SharesOutput(const ObserverPlan& plan,
                               const PlannedLayer& layer) const {
  return absl::c_any_of(plan.layers, [&](const PlannedLayer& other) {
    return other.base != layer.base && other.output == layer.output &&
           facts_.at(other.name).has_choice;
  });
}

absl::Status NoiseEvents::FindEvents(size_t candidate) {
  const ObserverPlan& plan = space_->UniformPlan(static_cast<int>(candidate));
  const bool rounds = candidate == 0;
  for (const PlannedLayer& layer : plan.layers) {
    NS_ASSIGN_OR_RETURN(const auto inputs,
                        FindEdgeEvents(plan, layer, candidate));
    NS_RETURN_IF_ERROR(
        FindLayerEvent(plan, layer, plan, layer.output, inputs, rounds));
    if (!SharesOutput(plan, layer)) {
      continue;
    }
    for (size_t i = 0; i < space_->candidates().size(); ++i) {
      const ObserverPlan& other = space_->UniformPlan(static_cast<int>(i));
      const auto same = absl::c_find_if(other.layers, [&](const auto& one) {
        return one.base == layer.base;
      });
      if (i != candidate && same != other.layers.end()) {
        NS_RETURN_IF_ERROR(FindLayerEvent(plan, layer, other, same->output,
                                          inputs, /*rounds=*/false));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status NoiseEvents::FindLayerEvent(
    const ObserverPlan& plan, const PlannedLayer& layer,
    const ObserverPlan& output_plan, int output,
    const std::vector<std::optional<CalibratedValue>>& inputs, bool rounds) {
  LayerFacts& facts = facts_.at(layer.name);
  if (facts.moves && HasOneScale(layer)) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(const auto found, values_->Answer(output_plan, output));
  if (!found) {
    return absl::InvalidArgumentError(absl::StrCat(
        layer.name,
        ": what its observer finds depends on the order in which it sees "
        "values; choose another one, such as mse"));
  }
  if (!found->status.ok()) {
    return absl::OkStatus();  // It stays float.
  }
  LayerNoiseEvent event{count_, count_ + 1, *found, inputs, {}, {}, rounds};
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
      return absl::OkStatus();  // It stays float, too.
    }
    event.weight = quantized->dequantize();
    event.shift = values_->ShiftOf(layer.name, *weight, event.weight);
    if (event.shift.defined()) {
      facts.corrected.insert(weight_spec);
    }
  }
  const RoundingKey key = {SpecIndex(SpecAt(output_plan, output)), weight_spec};
  if (facts.numbers.insert({key, {event.number, event.alone_number}}).second) {
    layers_[layer.name].push_back(std::move(event));
    count_ += 2;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::optional<CalibratedValue>>>
NoiseEvents::FindEdgeEvents(const ObserverPlan& plan, const PlannedLayer& layer,
                            size_t candidate) {
  std::vector<std::optional<CalibratedValue>> inputs;
  const LayerFacts& facts = facts_.at(layer.name);
  if (IsNoiselessClamp(*facts.subgraph)) {
    return inputs;  // It never rounds what it is given.
  }
  const ObserverSpec spec = space_->candidates()[candidate]
                                .mapping.Choose(*facts.subgraph)
                                .qconfig->activation;
  const Points points(plan);
  // Operands that have one scale, as those of a concatenation have, get that of
  // the model in which all layers run in int8.
  const bool has_one_scale =
      layer.inputs.size() > 1 && absl::c_all_of(layer.inputs, [&](int one) {
        return one == layer.inputs.front();
      });
  for (const Int8Operand& operand : facts.operands) {
    const ObservedPoint* point = points.Find(operand);
    std::optional<CalibratedValue> input;
    if (point != nullptr || has_one_scale) {
      NS_ASSIGN_OR_RETURN(
          input,
          values_->Answer(
              plan, point != nullptr ? point->observer : layer.inputs.front()));
    }
    if (!input) {
      input = values_->Answer(operand.value, spec);
    }
    if (input && !input->status.ok()) {
      input.reset();
    }
    inputs.push_back(input);
    if (input) {
      AddEdge(operand, spec, *input, candidate == 0 && point != nullptr);
    }
  }
  return inputs;
}

void NoiseEvents::AddEdge(const Int8Operand& operand, const ObserverSpec& spec,
                          const CalibratedValue& input, bool rounds) {
  const NoiseEdge edge = {operand.value, operand.user};
  const auto [found, is_first] = edge_numbers_.insert({edge, {}});
  auto& [place, numbers] = found->second;
  if (is_first) {
    place = edges_.size();
    edges_.push_back({edge, {}});
  }
  if (numbers.insert({SpecIndex(spec), count_}).second) {
    edges_[place].second.push_back({count_++, input, rounds});
  }
}

std::optional<std::pair<int, int>> NoiseEvents::NumbersOf(
    const ObserverPlan& plan, const PlannedLayer& layer) const {
  const auto& numbers = facts_.at(layer.name).numbers;
  const int weight =
      layer.weight < 0
          ? -1
          : FindSpec(plan.weights[static_cast<size_t>(layer.weight)].spec);
  const auto found =
      numbers.find({FindSpec(SpecAt(plan, layer.output)), weight});
  if (found != numbers.end()) {
    return found->second;
  }
  const auto alike = absl::c_find_if(
      numbers, [&](const auto& one) { return one.first.second == weight; });
  return alike != numbers.end() ? std::make_optional(alike->second)
         : numbers.empty()      ? std::nullopt
                                : std::make_optional(numbers.begin()->second);
}

std::vector<int> NoiseEvents::OfLayer(const ObserverPlan& plan,
                                      const PlannedLayer& layer,
                                      const Points& points) const {
  const LayerFacts& facts = facts_.at(layer.name);
  // The edges by which inputs are rounded for this layer.
  std::vector<int> edges;
  size_t rounded = 0;
  for (const Int8Operand& operand : facts.operands) {
    const ObservedPoint* point = points.Find(operand);
    if (point == nullptr) {
      continue;
    }
    ++rounded;
    const auto edge = edge_numbers_.find({operand.value, operand.user});
    if (edge == edge_numbers_.end()) {
      continue;
    }
    const std::map<int, int>& numbers = edge->second.second;
    const auto found = numbers.find(FindSpec(SpecAt(plan, point->observer)));
    const int number =
        found == numbers.end() ? numbers.begin()->second : found->second;
    if (!absl::c_linear_search(edges, number)) {
      edges.push_back(number);
    }
  }
  if (facts.moves && HasOneScale(layer)) {
    return edges;
  }
  const auto numbers = NumbersOf(plan, layer);
  if (!numbers) {
    return edges;
  }
  if (rounded == facts.operands.size()) {
    return {numbers->second};
  }
  edges.push_back(numbers->first);
  return edges;
}

std::vector<int> NoiseEvents::OfLayer(const ObserverPlan& plan,
                                      const PlannedLayer& layer) const {
  return OfLayer(plan, layer, Points(plan));
}

std::vector<int> NoiseEvents::Of(const ObserverPlan& plan) const {
  const Points points(plan);
  std::vector<int> events;
  for (const PlannedLayer& layer : plan.layers) {
    absl::c_copy(OfLayer(plan, layer, points), std::back_inserter(events));
  }
  return events;
}

std::set<std::string> NoiseEvents::CorrectedLayers(
    const ObserverPlan& plan) const {
  std::set<std::string> corrected;
  for (const PlannedLayer& layer : plan.layers) {
    if (layer.weight >= 0 &&
        facts_.at(layer.name)
                .corrected.count(FindSpec(
                    plan.weights[static_cast<size_t>(layer.weight)].spec)) !=
            0) {
      corrected.insert(layer.name);
    }
  }
  return corrected;
}

}  // namespace ns
