// What `ns sensitivity` recommends, as a mapping that quantizes so.
#ifndef NS_N_SHADOWS_PLANNED_MAPPING_H_
#define NS_N_SHADOWS_PLANNED_MAPPING_H_

#include "absl/status/statusor.h"
#include "ir/model_graph.h"
#include "ns/n_shadows/sensitivity.h"
#include "passes/quantization/qconfig_mapping.h"

namespace ns {

// Needs a plan. Returns the mapping with which QuantizeModel gives each layer
// of `report` the qconfig that the plan has for it, and none where it stays in
// float. `model` is the one that was measured.
//
// Rules are for the ops as QuantizeModel sees them: without ops in place, with
// batch norms folded, and each relu6 by itself, though it was measured with the
// layer in front of it. Each op has a rule of its own: for its module, by name,
// where no other op that could be quantized is in that module, and else by its
// number in the module. All that the report does not have, as no batch came by
// or nothing fits, stays in float.
//
// Error: that of FoldForQuantization.
absl::StatusOr<QConfigMapping> PlannedMapping(const ModelGraph& model,
                                              const SensitivityReport& report);

}  // namespace ns

#endif  // NS_N_SHADOWS_PLANNED_MAPPING_H_
