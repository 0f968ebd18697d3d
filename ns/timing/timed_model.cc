#include "ns/timing/timed_model.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ir/base/status.h"
#include "ir/model/module_state.h"
#include "ns/batches/run_batches.h"

namespace ns {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

absl::StatusOr<TimedModel> TimedModel::Create(absl::string_view name,
                                              ModelGraph model, size_t slots,
                                              SlotOfNode slot_of) {
  NS_ASSIGN_OR_RETURN(LapTimerPtr timer, InsertTimers(model, slots, slot_of));
  return TimedModel(name, std::move(model), std::move(timer), slots);
}

TimedModel::TimedModel(absl::string_view name, ModelGraph model,
                       LapTimerPtr timer, size_t slots)
    : name_(name),
      model_(std::move(model)),
      timer_(std::move(timer)),
      least_(slots, kNever) {}

absl::Status TimedModel::Run(const Batch& batch) {
  ModuleState before(model_.module());
  timer_->Start();
  NS_RETURN_IF_ERROR(RunBatch(name_, model_, batch, 0).status());
  std::move(before).Restore();
  for (size_t i = 0; i < least_.size(); ++i) {
    least_[i] = std::min(least_[i], timer_->microseconds()[i]);
  }
  return absl::OkStatus();
}

}  // namespace ns
