#include "passes/quantization/observe/observer_points.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "passes/runtime/observers/observer_names.h"

namespace ns {

using ::torch::jit::Value;

std::optional<int> ObserverPoints::ObserverOf(const Value* value) const {
  const auto found = observers_of_.find(value);
  return found == observers_of_.end() ? std::nullopt
                                      : std::make_optional(found->second);
}

int ObserverPoints::AddInput(const Int8Operand& operand,
                             const ObserverSpec& spec) {
  if (const auto observer = ObserverOf(operand.value)) {
    return *observer;
  }
  for (const size_t index : indices_[operand.value]) {
    ObservedPoint& point = points_[index];
    if (observers_.SpecOf(point.observer) == spec) {
      point.users.push_back(operand.user);
      return point.observer;
    }
  }
  const int observer = observers_.Add(spec);
  Add({operand.value, observer, {operand.user}});
  return observer;
}

void ObserverPoints::AddOutput(Value* value, int observer, bool is_seen) {
  observers_of_[value] = observer;
  Add({value, observer, {}, is_seen});
}

void ObserverPoints::Join(const std::vector<int>& sources, Value* value) {
  for (const int source : sources) {
    if (!observers_.Unify(sources.front(), source)) {
      return;
    }
  }
  AddOutput(value, sources.front(), /*is_seen=*/false);
}

void ObserverPoints::UnifyPointsOf(const Value* value, int observer) {
  for (const size_t index : indices_[value]) {
    observers_.Unify(observer, points_[index].observer);
  }
}

bool ObserverPoints::CanJoin(const std::vector<Int8Operand>& operands) const {
  const auto is_fixed = [&](const Int8Operand& operand) {
    const auto observer = ObserverOf(operand.value);
    return observer && observers_.SpecOf(*observer).config.kind ==
                           ObserverKind::kFixedQParams;
  };
  if (absl::c_none_of(operands, is_fixed)) {
    return true;
  }
  const auto first = ObserverOf(operands.front().value);
  return first && absl::c_all_of(operands, [&](const Int8Operand& operand) {
           const auto observer = ObserverOf(operand.value);
           return observer &&
                  observers_.SpecOf(*observer) == observers_.SpecOf(*first);
         });
}

std::vector<ObservedPoint> ObserverPoints::Take() {
  for (ObservedPoint& point : points_) {
    point.observer = observers_.Find(point.observer);
  }
  return std::move(points_);
}

void ObserverPoints::Add(ObservedPoint point) {
  indices_[point.value].push_back(points_.size());
  points_.push_back(std::move(point));
}

}  // namespace ns
