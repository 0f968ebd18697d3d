#include "ns/report/json/read_comparison.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/files/read_text_file.h"
#include "ir/json/json_text.h"
#include "ir/json/parse_json.h"
#include "ir/json/read_json.h"
#include "ir/json/split_list.h"
#include "ns/report/json/comparison_map.h"
#include "ns/result/figure_kinds.h"

namespace ns {
namespace {

constexpr size_t kMostOfAnError = 1000;
constexpr TextFileKind kKind = {"comparison", "ns compare --json",
                                size_t{256} << 20};

// Layers are told apart by their names.
absl::Status CheckNames(const std::vector<LayerComparison>& layers) {
  absl::flat_hash_set<absl::string_view> names;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (!names.insert(layers[i].name).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "layers[", i, "].name: ",
          MustBe(layers[i].name, "a name that no other layer has").message()));
    }
  }
  return absl::OkStatus();
}

// Whether a layer has the field.
bool HasFigure(const std::vector<LayerComparison>& layers,
               std::optional<ActivationComparison> LayerComparison::*figure) {
  return absl::c_any_of(layers, [&](const LayerComparison& layer) {
    return (layer.*figure).has_value();
  });
}

std::vector<std::string> UserMetricsOf(
    const std::vector<LayerComparison>& layers) {
  std::set<std::string> names;
  for (const LayerComparison& layer : layers) {
    ForEachValues(layer,
                  [&](const FigureKind&, const ActivationComparison& values) {
                    for (const UserFigure& figure : values.user_figures) {
                      names.insert(figure.metric);
                    }
                  });
  }
  return {names.begin(), names.end()};
}

// Reads all but the layers, and then each layer by itself.
absl::Status ReadInParts(const SplitText& split, ComparisonResult& result) {
  NS_ASSIGN_OR_RETURN(const llvm::json::Value rest, ParseJson(split.rest));
  NS_RETURN_IF_ERROR(ReadJson(rest, result));
  const JsonPlace root;
  const JsonPlace layers(root, "layers");
  result.layers.resize(split.elements.size());
  for (size_t i = 0; i < split.elements.size(); ++i) {
    NS_ASSIGN_OR_RETURN(const llvm::json::Value json,
                        ParseJson(split.elements[i]));
    absl::Status status;
    JsonIn::Read(json, JsonPlace(layers, i), result.layers[i], status);
    NS_RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

// Of text that is not valid, only a parser of the whole can say where.
absl::Status ReadText(absl::string_view text, ComparisonResult& result) {
  const std::optional<SplitText> split = SplitList(text, "layers");
  if (split && ReadInParts(*split, result).ok()) {
    return absl::OkStatus();
  }
  result = ComparisonResult();
  NS_ASSIGN_OR_RETURN(const llvm::json::Value json, ParseJson(text));
  return ReadJson(json, result);
}

absl::StatusOr<ComparisonResult> ResultOf(absl::string_view text) {
  ComparisonResult result;
  NS_RETURN_IF_ERROR(ReadText(text, result));
  NS_RETURN_IF_ERROR(CheckNames(result.layers));
  result.has_activations =
      HasFigure(result.layers, &LayerComparison::activation);
  result.has_shadows = HasFigure(result.layers, &LayerComparison::shadow);
  result.has_kernels =
      result.has_kernels || HasFigure(result.layers, &LayerComparison::kernel);
  result.user_metrics = UserMetricsOf(result.layers);
  return result;
}

}  // namespace

absl::StatusOr<ComparisonResult> ParseComparison(absl::string_view text,
                                                 absl::string_view source) {
  absl::StatusOr<ComparisonResult> result = ResultOf(text);
  if (!result.ok()) {
    // Names of the file are part of the message.
    return absl::InvalidArgumentError(absl::StrCat(
        source, ": ", OneLine(result.status().message(), kMostOfAnError)));
  }
  return result;
}

absl::StatusOr<ComparisonResult> ReadComparison(const std::string& path) {
  NS_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path, kKind));
  return ParseComparison(text, path);
}

}  // namespace ns
