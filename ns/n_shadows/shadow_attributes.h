// Names the loggers of an n-shadows model, and reads and writes the attribute
// in which it keeps the names of its candidates, so that it can be saved,
// loaded and run anywhere.
//
// An n-shadows model is what PrepareNShadowsModel and
// PrepareNShadowsAddLoggersModel make: a float model with quantized candidates
// beside its subgraphs. The attribute `ns_n_shadows` of its module, a Dict(str,
// str), is written here; one that is there already is replaced. Loggers are
// attached by AttachLogger (passes/instrument/logger_info.h), quantizers by
// CandidateActivations (passes/instrument/candidates/candidate_activations.h).
#ifndef NS_N_SHADOWS_SHADOW_ATTRIBUTES_H_
#define NS_N_SHADOWS_SHADOW_ATTRIBUTES_H_

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "passes/instrument/logger_info.h"
#include "passes/quantization/layers/float_subgraphs.h"

namespace ns {

// Which logger of an n-shadows model.
struct ShadowIndex {
  // The position in FindFloatSubgraphs of the float model, from 0. Subgraphs
  // without candidates count, too.
  int subgraph = 0;
  // 0 for the logger of the float subgraph itself; i + 1 for the logger of the
  // candidate that QConfigMultiMapping::mappings()[i] gives the subgraph. Where
  // there is one mapping only (PrepareNShadowsAddLoggersModel), its candidate
  // has number 1.
  int candidate = 0;
};

// Returns the model name of a logger (LoggerInfo::model_name), "subgraph_3_1":
// subgraph 3, candidate 1.
std::string ShadowModelName(const ShadowIndex& index);

// Returns the index that ShadowModelName made `name` of; absent when `name` is
// of another form.
std::optional<ShadowIndex> ParseShadowModelName(absl::string_view name);

// Describes the logger at `index`, which is one of `subgraph`. It fills the
// fields of LoggerInfo that tell the layer, the type (kNodeOutputResult), the
// model name, the ref node (the base op), the prev node (the last one) and the
// fqn. The others stay as they are by default.
LoggerInfo ShadowLoggerInfo(const FloatSubgraph& subgraph,
                            const ShadowIndex& index);

// Writes the names of candidates to the attribute `ns_n_shadows`, which says
// that a module is an n-shadows model. Keys are ShadowModelNames, and values
// are the QConfigName of the candidate ("none" where it stays in float). The
// float subgraph, candidate 0, and candidates that were skipped have no entry.
void AttachCandidateNames(torch::jit::Module& module,
                          const std::map<std::string, std::string>& names);

// Returns what AttachCandidateNames wrote; absent when `module` is no n-shadows
// model.
std::optional<std::map<std::string, std::string>> AttachedCandidateNames(
    const torch::jit::Module& module);

}  // namespace ns

#endif  // NS_N_SHADOWS_SHADOW_ATTRIBUTES_H_
