#include "ns/search/layer_times.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/graph/graph_copy.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/layer_id.h"
#include "ir/graph/node_view.h"
#include "ir/model/module_state.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "ns/batches/run_batches.h"
#include "ns/quantization/model/copy_for_target.h"
#include "ns/quantization/model/quantize_model.h"
#include "ns/search/plan_of_copy.h"
#include "ns/timing/timed_model.h"
#include "passes/instrument/insert_timers.h"
#include "passes/quantization/layers/int8_form.h"
#include "passes/quantization/layers/int8_operands.h"
#include "passes/quantization/observe/insert_observers.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr int kRuns = 7;
constexpr double kNever = std::numeric_limits<double>::infinity();

// Runs `model` several times on `batch`, and returns the least time of each of
// `slots` slots.
absl::StatusOr<std::vector<double>> TimeNodes(ModelGraph model, size_t slots,
                                              const Batch& batch,
                                              SlotOfNode slot_of) {
  NS_ASSIGN_OR_RETURN(
      TimedModel timed,
      TimedModel::Create("timed", std::move(model), slots, slot_of));
  for (int run = 0; run < kRuns; ++run) {
    NS_RETURN_IF_ERROR(timed.Run(batch));
  }
  return timed.microseconds();
}

// The model in which all layers have the candidate, lowered. Its ops have the
// ids of the subgraphs.
absl::StatusOr<ModelGraph> UniformModel(const SearchSpace& space,
                                        const CalibratedValues& values,
                                        int candidate) {
  const QConfigMapping& mapping =
      space.candidates()[static_cast<size_t>(candidate)].mapping;
  NS_ASSIGN_OR_RETURN(ModelGraph prepared, space.base().Clone());
  const GraphCopy copy(space.base().graph(), prepared.graph());
  ObserverPlan plan = PlanOfCopy(space.UniformPlan(candidate), copy);
  QuantizationReport known;
  for (const FloatLayer& layer : plan.stayed_float) {
    known.stayed_float.push_back(layer);
  }
  plan.stayed_float.clear();
  NS_RETURN_IF_ERROR(CarryOutPlan(prepared, plan, std::move(known)));
  NS_ASSIGN_OR_RETURN(const bool is_filled, values.Fill(mapping, prepared));
  if (!is_filled) {
    // Layers whose observers have seen nothing would stay float.
    return absl::InvalidArgumentError(absl::StrCat(
        "candidate '", space.candidates()[static_cast<size_t>(candidate)].name,
        "': what its observers find depends on the order in which they see "
        "values; choose another observer, such as mse"));
  }
  QuantizeOptions options = space.options();
  options.mapping = mapping;
  NS_ASSIGN_OR_RETURN(const QuantizedModel quantized,
                      ConvertModel(prepared, options));
  return CopyForTarget(quantized.model, options);
}

bool IsCast(const Node& node) {
  const absl::string_view op = ShortOpName(OpName(node));
  return op == "fbgemm_quantize" || op == "fbgemm_dequantize" ||
         op == "fbgemm_requantize" || op == "quantize_per_tensor" ||
         op == "dequantize";
}

// The time of quantizing and of dequantizing an element.
absl::Status MeasureCasts(const QuantizeOptions& options, LayerTimes& times) {
  constexpr int64_t kElements = 1 << 16;
  auto graph = std::make_shared<torch::jit::Graph>();
  Value* x = graph->addInput("x");
  NS_ASSIGN_OR_RETURN(
      Value * quantized,
      InsertOp(*graph, "aten::quantize_per_tensor",
               {x, 0.05, 64, static_cast<int64_t>(at::kQUInt8)}));
  // Something that keeps the casts from being taken for a fake quantization.
  NS_ASSIGN_OR_RETURN(Value * relu,
                      InsertOp(*graph, "aten::relu", {quantized}));
  NS_ASSIGN_OR_RETURN(Value * back,
                      InsertOp(*graph, "aten::dequantize", {relu}));
  graph->registerOutput(back);
  NS_ASSIGN_OR_RETURN(const ModelGraph model, ModelGraph::FromGraph(graph));
  NS_ASSIGN_OR_RETURN(ModelGraph lowered, CopyForTarget(model, options));
  Batch batch;
  batch.arguments = {at::randn({kElements})};
  enum Slot { kQuantize, kDequantize, kOther, kSlots };
  NS_ASSIGN_OR_RETURN(
      const std::vector<double> least,
      TimeNodes(std::move(lowered), kSlots, batch, [](const Node& node) {
        const absl::string_view op = ShortOpName(OpName(node));
        return op == "fbgemm_quantize" || op == "quantize_per_tensor"
                   ? kQuantize
               : op == "fbgemm_dequantize" || op == "dequantize" ? kDequantize
                                                                 : kOther;
      }));
  times.quantize = least[kQuantize] / kElements;
  times.dequantize = least[kDequantize] / kElements;
  return absl::OkStatus();
}

// Whether something that computes in float takes `value`, which is quantized,
// also through ops that move it.
bool IsTakenInFloat(const Value& value,
                    const llvm::DenseSet<const Node*>& int8_nodes) {
  return absl::c_any_of(value.uses(), [&](const torch::jit::Use& use) {
    const Node& user = *use.user;
    if (int8_nodes.count(&user) != 0) {
      return false;
    }
    if (user.kind() == c10::prim::ListConstruct ||
        user.kind() == c10::prim::ListUnpack ||
        user.kind() == c10::aten::__getitem__ || MovesValues(user)) {
      return absl::c_any_of(user.outputs(), [&](const Value* output) {
        return IsTakenInFloat(*output, int8_nodes);
      });
    }
    return true;
  });
}

}  // namespace

absl::StatusOr<std::vector<double>> TimeModels(
    const std::vector<ModelGraph*>& models, const Batch& batch) {
  std::vector<double> least(models.size(), kNever);
  for (int run = 0; run < kRuns; ++run) {
    for (size_t i = 0; i < models.size(); ++i) {
      ModuleState before(models[i]->module());
      const auto begin = std::chrono::steady_clock::now();
      NS_RETURN_IF_ERROR(RunBatch("timed", *models[i], batch, 0).status());
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - begin;
      std::move(before).Restore();
      least[i] = std::min(least[i], took.count());
    }
  }
  return least;
}

absl::StatusOr<LayerTimes> MeasureLayerTimes(const SearchSpace& space,
                                             const CalibratedValues& values,
                                             const Batch& batch) {
  LayerTimes times;
  const std::vector<FloatSubgraph>& subgraphs = space.subgraphs();
  const size_t other = subgraphs.size();
  NS_ASSIGN_OR_RETURN(ModelGraph model, space.base().Clone());
  const GraphCopy copy(space.base().graph(), model.graph());
  llvm::DenseMap<const Node*, size_t> slots;
  for (size_t i = 0; i < subgraphs.size(); ++i) {
    for (const Node* node : subgraphs[i].subgraph.nodes) {
      slots[copy.Of(node)] = i;
    }
  }
  NS_ASSIGN_OR_RETURN(
      times.in_float,
      TimeNodes(std::move(model), other + 1, batch, [&](const Node& node) {
        const auto found = slots.find(&node);
        return found == slots.end() ? other : found->second;
      }));
  times.other = times.in_float.back();
  times.in_float.pop_back();
  for (size_t i = 0; i < space.candidates().size(); ++i) {
    NS_ASSIGN_OR_RETURN(ModelGraph quantized,
                        UniformModel(space, values, static_cast<int>(i)));
    NS_ASSIGN_OR_RETURN(
        std::vector<double> in_int8,
        TimeNodes(
            std::move(quantized), other + 1, batch, [&](const Node& node) {
              const std::optional<LayerId> id = LayerIdOf(node);
              return id && !IsCast(node) ? static_cast<size_t>(id->number())
                                         : other;
            }));
    in_int8.pop_back();
    times.in_int8.push_back(std::move(in_int8));
  }
  NS_RETURN_IF_ERROR(MeasureCasts(space.options(), times));
  return times;
}

double TimeOfLayer(const SearchSpace& space, const LayerTimes& times,
                   size_t layer, int choice) {
  const int candidate = space.CandidateOf(layer, choice);
  const size_t subgraph = space.layers()[layer].subgraph;
  return candidate < 0
             ? times.in_float[subgraph]
             : times.in_int8[static_cast<size_t>(candidate)][subgraph];
}

double TimeOfRecipe(const SearchSpace& space, const CalibratedValues& values,
                    const LayerTimes& times, const RecipeChoices& choices,
                    const ObserverPlan& plan) {
  // What runs in int8, and as which candidate: layers without a choice as the
  // first.
  std::map<LayerId, size_t> candidates;
  for (const PlannedLayer& layer : plan.layers) {
    candidates[layer.id] = 0;
  }
  for (size_t i = 0; i < choices.size(); ++i) {
    const auto found =
        candidates.find(space.subgraphs()[space.layers()[i].subgraph].id);
    if (const int candidate = space.CandidateOf(i, choices[i]);
        candidate >= 0 && found != candidates.end()) {
      found->second = static_cast<size_t>(candidate);
    }
  }
  llvm::DenseSet<const Node*> int8_nodes;
  double time = times.other;
  for (size_t i = 0; i < space.subgraphs().size(); ++i) {
    const FloatSubgraph& subgraph = space.subgraphs()[i];
    const auto found = candidates.find(subgraph.id);
    time += found == candidates.end() ? times.in_float[i]
                                      : times.in_int8[found->second][i];
    if (found == candidates.end()) {
      continue;
    }
    int8_nodes.insert(subgraph.subgraph.nodes.begin(),
                      subgraph.subgraph.nodes.end());
    int8_nodes.insert(subgraph.subgraph.start);
    if (const auto operands = Int8OperandsOf(subgraph.subgraph)) {
      for (const Int8Operand& operand : *operands) {
        int8_nodes.insert(operand.user);
      }
    }
  }
  for (const ObservedPoint& point : plan.points) {
    const double elements = values.ElementsOf(point.value);
    if (!point.users.empty()) {
      time += elements * times.quantize;
    } else if (IsTakenInFloat(*point.value, int8_nodes)) {
      time += elements * times.dequantize;
    }
  }
  return time;
}

}  // namespace ns
