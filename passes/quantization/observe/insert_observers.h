// Puts observers where a float model's values will be quantized.
#ifndef PASSES_QUANTIZATION_OBSERVE_INSERT_OBSERVERS_H_
#define PASSES_QUANTIZATION_OBSERVE_INSERT_OBSERVERS_H_

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/graph/pass.h"
#include "passes/quantization/layers/quantization_report.h"
#include "passes/quantization/observe/observer_plan.h"

namespace ns {

// Prepares a frozen float model for calibration (reference: prepare_fx). What
// PlanObservers (observer_plan.h) finds gets observers, which hand their values
// on: the model computes what it did.
//
//   %y = aten::conv2d(%x, %weight, %bias, ...)
//   %r = aten::relu(%y)
//   %f = aten::flatten(%r, ...)
// becomes
//   %observer_0 = prim::GetAttr[name="ns_observer_0"](%self)
//   %x1 = prim::CallMethod[name="forward"](%observer_0, %x)
//   %w1 = ns::observed_weight(%weight, 0)
//   %y = aten::conv2d(%x1, %w1, %bias, ...)
//   %r = aten::relu(%y)
//   %observer_1 = prim::GetAttr[name="ns_observer_1"](%self)
//   %r1 = prim::CallMethod[name="forward"](%observer_1, %r)
//   %f = aten::flatten(%r1, ...)
//
// Where the int8 op of a layer asks for a number of dimensions, and inside
// control flow, one more observer, a no-op, is in front of its op: it sees the
// rank, and whether the layer runs.
//
// All that convert_observers.h needs becomes part of the module
// (prepared_model.h). The saved model runs where libns_ops.so is loaded.
//
// A model that is prepared already stays as it is. Error: an observer that
// cannot be made, such as a scripted one whose file is missing.
class InsertObservers final : public Pass {
 public:
  explicit InsertObservers(ObserverPlanOptions options)
      : options_(std::move(options)) {}

  absl::string_view name() const override { return "insert-observers"; }
  absl::StatusOr<bool> Run(ModelGraph& model,
                           PassContext& context) const override;

 private:
  ObserverPlanOptions options_;
};

// Puts the observers of `plan`, which is of the graph of `model`, into it. The
// report of the model says what `known` does, and then what the plan does.
// Error: as the pass.
absl::Status CarryOutPlan(ModelGraph& model, const ObserverPlan& plan,
                          QuantizationReport known);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_INSERT_OBSERVERS_H_
