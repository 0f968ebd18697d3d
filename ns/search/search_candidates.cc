#include "ns/search/search_candidates.h"

#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ns/quantization/model/target_mapping.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {
namespace {

// Why layers of a mixed model cannot have `qconfig`; empty where they can.
std::string WhyNot(const QConfig& qconfig) {
  const ObserverSpec& activation = qconfig.activation;
  if (ModeOf(activation) != QuantizationMode::kStatic) {
    return "has no kernel between int8 layers: its activations are not static";
  }
  if (ModeOf(qconfig.weight) != QuantizationMode::kStatic) {
    return "quantizes no weights";
  }
  if (activation.use != ObserverUse::kObserve ||
      qconfig.weight.use != ObserverUse::kObserve) {
    return "is for training";
  }
  if (activation.config.kind == ObserverKind::kScripted ||
      activation.config.kind == ObserverKind::kRecording ||
      activation.config.kind == ObserverKind::kReuseInput) {
    return "has an observer that finds no scale by itself";
  }
  return "";
}

struct NamedQConfig {
  std::string name;
  // Absent for "default".
  std::optional<QConfig> qconfig;
};

absl::StatusOr<std::vector<NamedQConfig>> Find(
    const std::vector<std::string>& names,
    std::vector<SkippedChoice>& skipped) {
  std::vector<NamedQConfig> found;
  std::set<std::string> seen;
  for (const std::string& name :
       names.empty() ? std::vector<std::string>{kDefaultCandidate} : names) {
    if (!seen.insert(name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("candidate '", name, "' is named twice"));
    }
    if (name == kFloatChoice) {
      continue;
    }
    if (name == kDefaultCandidate) {
      found.push_back({name, std::nullopt});
      continue;
    }
    NS_ASSIGN_OR_RETURN(const QConfig qconfig, PresetNamed(name));
    if (const std::string reason = WhyNot(qconfig); !reason.empty()) {
      skipped.push_back({kAllLayers, name, reason});
    } else {
      found.push_back({name, qconfig});
    }
  }
  if (found.empty()) {
    return absl::InvalidArgumentError(
        skipped.empty()
            ? "float is the only candidate; name one to quantize with, such as "
              "default"
            : absl::StrCat("no candidate is left: ", skipped.front().candidate,
                           ": ", skipped.front().reason,
                           "; name one with static activations, such as "
                           "default"));
  }
  return found;
}

}  // namespace

absl::Status CheckCandidates(const std::vector<std::string>& names) {
  std::vector<SkippedChoice> skipped;
  return Find(names, skipped).status();
}

absl::StatusOr<std::vector<SearchCandidate>> SearchCandidates(
    const ModelGraph& model, const QuantizeOptions& options,
    const std::vector<std::string>& names,
    std::vector<SkippedChoice>& skipped) {
  NS_ASSIGN_OR_RETURN(const std::vector<NamedQConfig> found,
                      Find(names, skipped));
  NS_ASSIGN_OR_RETURN(const QConfigMapping by_default,
                      TargetMapping(model, options));
  std::vector<SearchCandidate> candidates;
  for (const auto& [name, qconfig] : found) {
    const OptionalQConfig general = by_default.global();
    candidates.push_back(
        {name, by_default.With([&, &qconfig = qconfig](QConfig one) {
           return one == general && qconfig ? *qconfig : std::move(one);
         })});
  }
  return candidates;
}

}  // namespace ns
