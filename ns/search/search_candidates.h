// The ways to quantize a layer that a search may choose from.
#ifndef NS_SEARCH_SEARCH_CANDIDATES_H_
#define NS_SEARCH_SEARCH_CANDIDATES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "ns/quantization/model/quantize_options.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

struct SearchCandidate {
  // What the user called it.
  std::string name;
  // How each layer is quantized that chooses it.
  QConfigMapping mapping;
};

// A candidate that a layer cannot have, and why.
struct SkippedChoice {
  std::string layer;
  std::string candidate;
  std::string reason;
};

// SkippedChoice::layer where no layer can have the candidate.
inline constexpr char kAllLayers[] = "all layers";

// What a search has without a list of candidates.
inline constexpr char kDefaultCandidate[] = "default";

// The choice of each layer that is none of the candidates.
inline constexpr char kFloatChoice[] = "float";

// Returns the candidates that `names` name, or one, kDefaultCandidate:
//  * "default": what `ns quantize` begins with for these options, which is
//    their mapping, if they have one (TargetMapping);
//  * a qconfig by its name (PresetNames: "int8-per-channel", "fbgemm"): as
//    "default", but with this qconfig wherever the default mapping has its
//    global one.
//
// kFloatChoice is always among a layer's choices; it may be named, but is none
// of the candidates. Left out, with a row that is added to `skipped`, are
// qconfigs without static activations, which have no kernel that takes int8
// values from other layers and gives them, and qconfigs that do not quantize
// weights, are for training, or have an observer that finds no scale by itself.
// Errors: those of CheckCandidates and TargetMapping.
absl::StatusOr<std::vector<SearchCandidate>> SearchCandidates(
    const ModelGraph& model, const QuantizeOptions& options,
    const std::vector<std::string>& names, std::vector<SkippedChoice>& skipped);

// Returns OK if SearchCandidates takes these names, for any model. Errors: an
// unknown name, a name that comes twice, no candidate besides "float" and those
// that are left out.
absl::Status CheckCandidates(const std::vector<std::string>& names);

}  // namespace ns

#endif  // NS_SEARCH_SEARCH_CANDIDATES_H_
