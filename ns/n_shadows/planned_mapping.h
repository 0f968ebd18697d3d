// Turns the plan that `ns sensitivity` makes into a qconfig mapping.
#ifndef NS_N_SHADOWS_PLANNED_MAPPING_H_
#define NS_N_SHADOWS_PLANNED_MAPPING_H_

#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batches.h"
#include "ns/n_shadows/sensitivity.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

// Returns the mapping with which QuantizeModel gives each layer of `report` the
// qconfig that `report.plan` has for it, and keeps in float what the plan keeps
// in float. `report.plan` must be set. `model` is the float model that was
// measured.
//
// Each op has a rule of its own. Where it is the only op of its module that
// could be quantized, the rule is for the name of the module; otherwise it is
// for the number of the op in the module (SetLayerQConfig). The ops are those
// that QuantizeModel finds: ops in place are replaced, batch norms are folded,
// and a relu6 is an op by itself. It gets the qconfig of the layer in front of
// it, with which it was measured. Layers that `report` does not have, as they
// did not run or no candidate fits them, stay in float.
//
// Error: that of FoldForQuantization.
absl::StatusOr<QConfigMapping> PlannedMapping(const ModelGraph& model,
                                              const SensitivityReport& report);

// Plans for `budget` (PlanQuantization) what `ns quantize` carries out, sets
// the plan of `report`, and returns its mapping. Quantizes `model` with the
// mapping of a plan, calibrated by `batches`. Where a layer stays in float all
// the same, as a pool does after a layer that the budget keeps in float, it is
// planned again without that candidate of that layer, which is listed with the
// reason (Sensitivity::skipped), until no layer does. Where the model cannot be
// quantized, since it is quantized in part, the plan is not checked. Error:
// that of PlannedMapping.
absl::StatusOr<QConfigMapping> ConfirmPlan(const ModelGraph& model,
                                           const std::vector<Batch>& batches,
                                           const Budget& budget,
                                           SensitivityReport& report);

}  // namespace ns

#endif  // NS_N_SHADOWS_PLANNED_MAPPING_H_
