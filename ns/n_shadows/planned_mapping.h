// What `ns sensitivity` recommends, as a mapping that quantizes so.
#ifndef NS_N_SHADOWS_PLANNED_MAPPING_H_
#define NS_N_SHADOWS_PLANNED_MAPPING_H_

#include "ir/model_graph.h"
#include "ns/n_shadows/sensitivity.h"
#include "passes/quantization/qconfig_mapping.h"

namespace ns {

// Needs a plan. Returns the mapping that chooses, for each layer of `report`,
// the qconfig that the plan has for it, and none where it stays in float. Each
// has a rule of its own: for its module, by name, where no other op that could
// be quantized is in that module, and else for the op, by its number in the
// module. All that the report does not have, as no batch came by or nothing
// fits, stays in float. `model` is the one that was measured.
QConfigMapping PlannedMapping(const ModelGraph& model,
                              const SensitivityReport& report);

}  // namespace ns

#endif  // NS_N_SHADOWS_PLANNED_MAPPING_H_
