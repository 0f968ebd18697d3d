#include "tools/model_pair.h"

#include <ATen/Context.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/inline_modules.h"
#include "ir/status.h"

namespace ns {
namespace {

constexpr absl::string_view kEngines[] = {"onednn", "qnnpack", "fbgemm"};

at::QEngine EngineNamed(absl::string_view name) {
  if (name == "onednn") {
    return at::kONEDNN;
  }
  return name == "qnnpack" ? at::kQNNPACK : at::kFBGEMM;
}

// Engines of this LibTorch, in order of preference.
std::vector<std::string> AvailableEngines() {
  const std::vector<at::QEngine>& supported =
      at::globalContext().supportedQEngines();
  std::vector<std::string> engines;
  for (absl::string_view name : kEngines) {
    if (std::find(supported.begin(), supported.end(), EngineNamed(name)) !=
        supported.end()) {
      engines.emplace_back(name);
    }
  }
  return engines;
}

absl::Status TryWithModels(const ModelPairOptions& options,
                           const std::function<absl::Status(ModelPair&)>& use) {
  ModelGraphOptions graph_options;
  graph_options.method = options.method;
  if (!options.leaves.empty()) {
    graph_options.is_leaf = LeafTypes(options.leaves);
  }
  NS_ASSIGN_OR_RETURN(ModelGraph float_model,
                      ModelGraph::FromFile(options.float_path, graph_options));
  NS_ASSIGN_OR_RETURN(
      ModelGraph quantized_model,
      ModelGraph::FromFile(options.quantized_path, graph_options));
  ModelPair pair = {std::move(float_model), std::move(quantized_model)};
  return use(pair);
}

}  // namespace

absl::StatusOr<ModelPairOptions> ParseModelPair(const Flags& flags) {
  ModelPairOptions options;
  NS_ASSIGN_OR_RETURN(options.float_path, flags.Required("float"));
  NS_ASSIGN_OR_RETURN(options.quantized_path, flags.Required("quantized"));
  options.method = flags.Get("method", "forward");
  options.engine = flags.Get("engine");
  const std::vector<std::string> available = AvailableEngines();
  if (flags.Has("engine") && std::find(available.begin(), available.end(),
                                       options.engine) == available.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--engine=", options.engine, " is not one of ",
                     absl::StrJoin(available, ", ")));
  }
  NS_ASSIGN_OR_RETURN(options.leaves, flags.List("leaf"));
  return options;
}

absl::StatusOr<MatchOptions> ParseMatchOptions(const Flags& flags) {
  MatchOptions options;
  NS_ASSIGN_OR_RETURN(const std::string matching,
                      flags.Choice("matching", {"aligned", "strict"}));
  options.mode =
      matching == "strict" ? MatchingMode::kStrict : MatchingMode::kAligned;
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> pairs,
                      flags.List("relate"));
  for (const std::string& pair : pairs) {
    const std::vector<std::string> ops = absl::StrSplit(pair, '=');
    if (ops.size() != 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("--relate=", pair, " is not of the form A=B"));
    }
    if (absl::Status status =
            options.relations.AddOpToSetsOfRelatedOps(ops[0], ops[1]);
        !status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--relate=", pair, ": ", status.message()));
    }
  }
  return options;
}

absl::Status WithModels(const ModelPairOptions& options,
                        const std::function<absl::Status(ModelPair&)>& use) {
  const std::vector<std::string> engines =
      options.engine.empty() ? AvailableEngines()
                             : std::vector<std::string>{options.engine};
  absl::Status first_error;
  for (const std::string& engine : engines) {
    at::globalContext().setQEngine(EngineNamed(engine));
    const absl::Status status = TryWithModels(options, use);
    if (status.ok()) {
      return status;
    }
    if (first_error.ok()) {
      first_error = status;
    }
  }
  return first_error;
}

}  // namespace ns
