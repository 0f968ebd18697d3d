#include "ns/search/calibrated_values.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <set>

#include "absl/algorithm/container.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/graph_copy.h"
#include "ir/graph/node_view.h"
#include "ns/search/plan_of_copy.h"
#include "passes/quantization/layers/bias_correction.h"
#include "passes/quantization/layers/int8_operands.h"
#include "passes/quantization/observe/insert_observers.h"
#include "passes/quantization/observe/prepared_model.h"
#include "passes/runtime/observers/make_observer.h"
#include "passes/runtime/observers/observer_config.h"

namespace ns {
namespace {

using ::torch::jit::Value;

// Whether what an observer of this kind finds depends on the order in which it
// sees values, so that those of several cannot be put together.
bool DependsOnOrder(ObserverKind kind) {
  return kind == ObserverKind::kMovingAverageMinMax ||
         kind == ObserverKind::kMovingAveragePerChannelMinMax ||
         kind == ObserverKind::kHistogram;
}

// What observer `index` of `plan` sees, in order.
std::vector<const Value*> SeenBy(const ObserverPlan& plan, int index) {
  std::vector<const Value*> values;
  for (const ObservedPoint& point : plan.points) {
    if (point.observer == index && point.is_seen) {
      values.push_back(point.value);
    }
  }
  return values;
}

// Whether both plan the same layers with the same observers.
bool IsSame(const ObserverPlan& plan, const PreparedModel& record) {
  return absl::c_equal(plan.layers, record.layers,
                       [](const PlannedLayer& a, const PreparedLayer& b) {
                         return a.name == b.name && a.output == b.output &&
                                absl::c_equal(a.inputs, b.inputs);
                       });
}

}  // namespace

absl::StatusOr<CalibratedValues> CalibratedValues::Create(
    const SearchSpace& space) {
  NS_ASSIGN_OR_RETURN(ModelGraph model, space.base().Clone());
  CalibratedValues values(space, std::move(model));
  values.AddValues();
  values.AddLayers();
  const GraphCopy copy(space.base().graph(), values.model_.graph());
  NS_RETURN_IF_ERROR(CarryOutPlan(values.model_, PlanOfCopy(values.wide_, copy),
                                  /*known=*/{}));
  return values;
}

void CalibratedValues::Add(Value* value, const ObserverSpec& spec) {
  if (!IsTensor(*value)) {
    return;  // A list that only a run tells of is never rounded.
  }
  std::vector<int>& observers = observers_of_[value];
  if (absl::c_any_of(observers, [&](int index) {
        return wide_.observers[static_cast<size_t>(index)] == spec;
      })) {
    return;
  }
  const auto index = static_cast<int>(wide_.observers.size());
  observers.push_back(index);
  wide_.observers.push_back(spec);
  wide_.points.push_back({value, index, {}, /*is_seen=*/true});
}

void CalibratedValues::AddGroups(const ObserverPlan& plan) {
  for (size_t i = 0; i < plan.observers.size(); ++i) {
    const ObserverSpec& spec = plan.observers[i];
    std::vector<const Value*> values = SeenBy(plan, static_cast<int>(i));
    if (values.size() < 2 || !DependsOnOrder(spec.config.kind)) {
      continue;
    }
    const auto index = static_cast<int>(wide_.observers.size());
    wide_.observers.push_back(spec);
    for (const ObservedPoint& point : plan.points) {
      if (point.observer == static_cast<int>(i) && point.is_seen) {
        wide_.points.push_back({point.value, index, {}, /*is_seen=*/true});
      }
    }
    groups_.push_back({std::move(values), index});
  }
}

void CalibratedValues::AddValues() {
  std::vector<ObserverSpec> specs;
  for (size_t i = 0; i < space_->candidates().size(); ++i) {
    const ObserverPlan& plan = space_->UniformPlan(static_cast<int>(i));
    for (const ObservedPoint& point : plan.points) {
      const ObserverSpec& spec =
          plan.observers[static_cast<size_t>(point.observer)];
      if (point.is_seen) {
        Add(point.value, spec);
      }
      if (spec.config.kind != ObserverKind::kFixedQParams &&
          absl::c_find(specs, spec) == specs.end()) {
        specs.push_back(spec);
      }
    }
  }
  for (size_t i = 0; i < space_->candidates().size(); ++i) {
    AddGroups(space_->UniformPlan(static_cast<int>(i)));
  }
  // What a layer takes is observed there where its producer stays float.
  for (const FloatSubgraph& subgraph : space_->subgraphs()) {
    const auto operands = Int8OperandsOf(subgraph.subgraph);
    if (!operands) {
      continue;
    }
    for (const Int8Operand& operand : *operands) {
      for (const ObserverSpec& spec : specs) {
        Add(operand.value, spec);
      }
    }
    // A no-op observer counts the elements.
    Add(subgraph.output, SpecOf(ObserverKind::kNoop));
  }
}

void CalibratedValues::AddLayers() {
  std::set<std::string> seen;
  for (size_t i = 0; i < space_->candidates().size(); ++i) {
    for (PlannedLayer layer : space_->UniformPlan(static_cast<int>(i)).layers) {
      if (seen.insert(layer.name).second) {
        layer.inputs.clear();
        layer.output = 0;
        layer.weight = -1;
        wide_.layers.push_back(std::move(layer));
      }
    }
  }
}

absl::Status CalibratedValues::Calibrate(const BatchReader& batches,
                                         const AfterBatch& after_batch) {
  batches_ = batches.size();
  const auto means = AttachedMeans(model_.module());
  std::map<std::string, std::pair<at::Tensor, int64_t>> before;
  NS_RETURN_IF_ERROR(CalibrateInTwoParts(
      model_, batches,
      [&] {
        for (const auto& [name, one] : means) {
          before[name] = {one->sums(), one->patches()};
          one->SetState({}, 0);
        }
      },
      after_batch));
  for (const auto& [name, one] : means) {
    const auto held_back = c10::make_intrusive<InputMeans>(one->geometry());
    held_back->SetState(one->sums(), one->patches());
    held_back_[name] = held_back;
    one->SetState(before[name].first, before[name].second);
  }
  return absl::OkStatus();
}

ObserverPtr CalibratedValues::Find(const Value* value,
                                   const ObserverSpec& spec) const {
  const auto found = observers_of_.find(value);
  if (found == observers_of_.end()) {
    return {};
  }
  for (const int index : found->second) {
    if (wide_.observers[static_cast<size_t>(index)] == spec) {
      return AttachedObserver(model_.module(), ObserverAttribute(index));
    }
  }
  return {};
}

std::optional<std::vector<ObserverPtr>> CalibratedValues::Seeing(
    const ObserverPlan& plan, int index) const {
  const ObserverSpec& spec = plan.observers[static_cast<size_t>(index)];
  const std::vector<const Value*> values = SeenBy(plan, index);
  std::vector<ObserverPtr> observers;
  if (values.size() > 1 && DependsOnOrder(spec.config.kind)) {
    const auto group = absl::c_find_if(groups_, [&](const Group& one) {
      return absl::c_is_permutation(one.values, values) &&
             wide_.observers[static_cast<size_t>(one.observer)] == spec;
    });
    if (group == groups_.end()) {
      return std::nullopt;
    }
    observers.push_back(
        AttachedObserver(model_.module(), ObserverAttribute(group->observer)));
    return observers;
  }
  for (const Value* value : values) {
    observers.push_back(Find(value, spec));
    if (observers.back() == nullptr) {
      return std::nullopt;
    }
  }
  return observers;
}

bool CalibratedValues::Knows(const ObserverPlan& plan) const {
  for (size_t i = 0; i < plan.observers.size(); ++i) {
    if (DependsOnOrder(plan.observers[i].config.kind) &&
        !Seeing(plan, static_cast<int>(i))) {
      return false;
    }
  }
  return true;
}

absl::StatusOr<bool> CalibratedValues::Gather(const ObserverPlan& plan,
                                              int index,
                                              Observer& observer) const {
  const auto seeing = Seeing(plan, index);
  if (!seeing) {
    return false;
  }
  for (const ObserverPtr& found : *seeing) {
    NS_RETURN_IF_ERROR(CatchTorchErrors("joining what observers have seen",
                                        [&] { observer.Merge(*found); }));
  }
  return true;
}

absl::StatusOr<std::optional<CalibratedValue>> CalibratedValues::Answer(
    const ObserverPlan& plan, int index) const {
  NS_ASSIGN_OR_RETURN(
      const ObserverPtr observer,
      MakeObserver(plan.observers[static_cast<size_t>(index)].config));
  NS_ASSIGN_OR_RETURN(const bool is_known, Gather(plan, index, *observer));
  return is_known ? std::make_optional(AskObserver(observer)) : std::nullopt;
}

std::optional<CalibratedValue> CalibratedValues::Answer(
    const Value* value, const ObserverSpec& spec) const {
  const ObserverPtr observer = Find(value, spec);
  return observer == nullptr ? std::nullopt
                             : std::make_optional(AskObserver(observer));
}

absl::StatusOr<bool> CalibratedValues::Fill(const QConfigMapping& mapping,
                                            ModelGraph& prepared) const {
  NS_ASSIGN_OR_RETURN(const PreparedModel record,
                      AttachedPreparedModel(prepared.module()));
  const ObserverPlan plan = space_->PlanOfPrepared(mapping, record);
  if (!IsSame(plan, record)) {
    return false;
  }
  for (size_t i = 0; i < plan.observers.size(); ++i) {
    const auto index = static_cast<int>(i);
    const ObserverPtr observer =
        AttachedObserver(prepared.module(), ObserverAttribute(index));
    if (observer == nullptr) {
      continue;
    }
    NS_ASSIGN_OR_RETURN(const bool is_known, Gather(plan, index, *observer));
    if (!is_known) {
      return false;
    }
  }
  const auto theirs = AttachedMeans(prepared.module());
  const auto ours_means = AttachedMeans(model_.module());
  return CatchTorchErrors("joining what observers have seen", [&] {
    for (size_t i = 0; i < record.layers.size(); ++i) {
      const auto wide = absl::c_find_if(wide_.layers, [&](const auto& layer) {
        return layer.name == record.layers[i].name;
      });
      if (wide == wide_.layers.end()) {
        return false;
      }
      const int64_t number = wide - wide_.layers.begin();
      if (const int64_t watcher = record.layers[i].watcher; watcher >= 0) {
        const ObserverPtr ours = AttachedObserver(
            model_.module(),
            ObserverAttribute(static_cast<int64_t>(wide_.observers.size()) +
                              number));
        if (ours == nullptr) {
          return false;
        }
        AttachedObserver(prepared.module(), ObserverAttribute(watcher))
            ->Merge(*ours);
      }
      const auto means = theirs.find(MeansAttribute(static_cast<int64_t>(i)));
      const auto added = ours_means.find(MeansAttribute(number));
      if (means != theirs.end()) {
        if (added == ours_means.end()) {
          return false;
        }
        means->second->Merge(*added->second);
      }
    }
    return true;
  });
}

at::Tensor CalibratedValues::ShiftOf(const std::string& layer,
                                     const at::Tensor& weight,
                                     const at::Tensor& rounded) const {
  const auto wide = absl::c_find_if(
      wide_.layers, [&](const auto& one) { return one.name == layer; });
  const std::string name = MeansAttribute(wide - wide_.layers.begin());
  const auto held_back = held_back_.find(name);
  if (wide == wide_.layers.end() || held_back == held_back_.end()) {
    return {};
  }
  const at::Tensor shift = BiasShift(
      weight, rounded, AttachedMeans(model_.module()).at(name)->Mean());
  const at::Tensor wanted =
      BiasShift(weight, rounded, held_back->second->Mean());
  // The squared error of the output differs by this for each of its elements:
  // what is not constant stays.
  const bool helps = shift.defined() && wanted.defined() &&
                     (wanted - shift).square().sum().item<float>() <
                         wanted.square().sum().item<float>();
  return helps ? shift : at::Tensor();
}

double CalibratedValues::ElementsOf(const Value* value) const {
  const auto found = observers_of_.find(value);
  if (found == observers_of_.end() || batches_ == 0) {
    return 0;
  }
  const ObserverPtr observer = AttachedObserver(
      model_.module(), ObserverAttribute(found->second.front()));
  return static_cast<double>(observer->seen().values) /
         static_cast<double>(batches_);
}

}  // namespace ns
