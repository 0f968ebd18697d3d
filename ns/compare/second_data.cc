#include "ns/compare/second_data.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ns/suite/compare_models.h"

namespace ns {
namespace {

constexpr char kWhere[] = "on the second data set";

// What of `options` holds for the second data set.
CompareOptions OptionsOfSecond(const CompareOptions& options) {
  CompareOptions second = options;
  second.weights = false;
  second.activations = true;
  second.shadows = false;
  second.kernels = false;
  second.parts = false;
  second.try_changes = false;
  second.times = false;
  second.fingerprints = false;
  second.graphs = false;
  second.files = nullptr;
  second.is_settled = nullptr;
  second.check_matches = nullptr;
  second.see_outputs = nullptr;
  return second;
}

// Moves the activations of `second` to those of the same outputs in `layer`.
void SetOnSecond(LayerComparison second, LayerComparison& layer) {
  layer.second_data = std::move(second.activation);
  for (OutputComparison& output : layer.outputs) {
    for (OutputComparison& other : second.outputs) {
      if (other.index == output.index) {
        output.second_data = std::move(other.activation);
      }
    }
  }
}

}  // namespace

absl::Status CompareOnSecondData(const ModelPair& models,
                                 const SecondInputs& inputs,
                                 const CompareOptions& options,
                                 ComparisonResult& result) {
  NS_ASSIGN_OR_RETURN(
      ComparisonResult second,
      Annotated(kWhere,
                CompareModels(models.float_model, models.quantized_model,
                              *inputs.batches, OptionsOfSecond(options))));
  absl::flat_hash_map<absl::string_view, LayerComparison*> layers;
  for (LayerComparison& layer : second.layers) {
    layers[layer.name] = &layer;
  }
  for (LayerComparison& layer : result.layers) {
    if (const auto found = layers.find(layer.name); found != layers.end()) {
      SetOnSecond(*found->second, layer);
    }
  }
  for (const std::string& warning : second.warnings) {
    if (!absl::c_linear_search(result.warnings, warning)) {
      result.warnings.push_back(absl::StrCat(kWhere, ": ", warning));
    }
  }
  result.second_data =
      SecondData{inputs.paths, second.batches, std::move(second.model_outputs)};
  return absl::OkStatus();
}

}  // namespace ns
