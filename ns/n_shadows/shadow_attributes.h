// Reads and writes the attributes in which an n-shadows model keeps its loggers
// and quantizers, so that it can be saved, loaded and run anywhere.
#ifndef NS_N_SHADOWS_SHADOW_ATTRIBUTES_H_
#define NS_N_SHADOWS_SHADOW_ATTRIBUTES_H_

#include <torch/csrc/jit/api/module.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "passes/instrument/logger_info.h"
#include "passes/quantization/float_subgraphs.h"
#include "passes/runtime/observers/activation_quantizer.h"

namespace ns {

// Which logger of an n-shadows model: candidate 0 is the float model itself,
// candidate i + 1 that of mapping i.
struct ShadowIndex {
  int subgraph = 0;
  int candidate = 0;
};

// "subgraph_3_1", the model name of a logger (reference: model_name).
std::string ShadowModelName(const ShadowIndex& index);
std::optional<ShadowIndex> ParseShadowModelName(absl::string_view name);

// What is known of the logger of a candidate of `subgraph`.
LoggerInfo ShadowLoggerInfo(const FloatSubgraph& subgraph,
                            const ShadowIndex& index);

// Hangs `quantizer` on `module` as attribute `ns_quantizer_<index>`; returns
// the attribute's name.
std::string AttachQuantizer(torch::jit::Module& module, int index,
                            const ActivationQuantizerPtr& quantizer);

// All quantizers of `module`, in the order of their indices.
std::vector<ActivationQuantizerPtr> AttachedQuantizers(
    const torch::jit::Module& module);

// Writes the names of candidates, by ShadowModelName, to the attribute
// `ns_n_shadows`, which says that a module is an n-shadows model.
void AttachCandidateNames(torch::jit::Module& module,
                          const std::map<std::string, std::string>& names);

// Absent when `module` is no n-shadows model.
std::optional<std::map<std::string, std::string>> AttachedCandidateNames(
    const torch::jit::Module& module);

}  // namespace ns

#endif  // NS_N_SHADOWS_SHADOW_ATTRIBUTES_H_
