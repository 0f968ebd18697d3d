#include "ns/report/table_figures.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ns/report/error_breakdown.h"
#include "ns/report/figure_text.h"
#include "ns/report/output_view.h"
#include "ns/suite/comparison_result.h"

namespace ns {
namespace {

std::optional<double> LowestWeight(const LayerComparison& layer) {
  std::optional<double> lowest;
  for (const WeightComparison& weight : layer.weights) {
    if (absl::c_linear_search(weight.shape, 0)) {
      continue;
    }
    const double db = weight.error.sqnr_db;
    if (!lowest.has_value() || IsLowerDb(db, *lowest)) {
      lowest = db;
    }
  }
  return lowest;
}

// True when elements were compared: without any there is nothing to show.
bool HasValues(const std::optional<ActivationComparison>& figures) {
  return figures && figures->elements != 0;
}

// Returns null where `figure` is not about compared values, or where the output
// has no such figure.
const ActivationComparison* ValuesOf(const LayerComparison& layer,
                                     const OutputView& output, Figure figure) {
  const std::optional<ActivationComparison>* const figures =
      figure == Figure::kActivation ? output.activation
      : figure == Figure::kShadow   ? output.shadow
      : figure == Figure::kKernel   ? &layer.kernel
                                    : nullptr;
  return figures == nullptr || !figures->has_value() ? nullptr : &**figures;
}

// Figures that are not about compared values are finite or nan.
bool IsOfFiniteValues(const LayerComparison& layer, const OutputView& output,
                      Figure figure) {
  const ActivationComparison* const values = ValuesOf(layer, output, figure);
  return values == nullptr || IsOfFiniteValues(*values);
}

std::optional<double> SqnrOf(
    const std::optional<ActivationComparison>& figures) {
  return HasValues(figures) ? std::make_optional(figures->error.sqnr_db)
                            : std::nullopt;
}

// Returns the SQNR of `error`, which is about the values of `compared`.
std::optional<double> SqnrAt(
    const std::optional<ErrorFigures>& error,
    const std::optional<ActivationComparison>& compared) {
  return error && HasValues(compared) ? std::make_optional(error->sqnr_db)
                                      : std::nullopt;
}

bool AnyLayer(const ComparisonResult& result, Figure figure) {
  return absl::c_any_of(result.layers, [&](const LayerComparison& layer) {
    return SqnrDb(layer, figure).has_value();
  });
}

}  // namespace

absl::string_view ShortOp(absl::string_view op) {
  const size_t colon = op.rfind(':');
  return colon == absl::string_view::npos ? op : op.substr(colon + 1);
}

absl::string_view FigureName(Figure figure) {
  switch (figure) {
    case Figure::kWeight:
      return "weight";
    case Figure::kActivation:
      return "activation";
    case Figure::kShadow:
      return "shadow";
    case Figure::kWeightOnly:
      return "weight only";
    case Figure::kActivationOnly:
      return "activation only";
    case Figure::kInherited:
      return "inherited";
    case Figure::kKernel:
      break;
  }
  return "kernel";
}

std::optional<double> SqnrDb(const LayerComparison& layer, Figure figure) {
  switch (figure) {
    case Figure::kWeight:
      return LowestWeight(layer);
    case Figure::kActivation:
      return SqnrOf(layer.activation);
    case Figure::kShadow:
      return SqnrOf(layer.shadow);
    case Figure::kWeightOnly:
      return SqnrAt(layer.weight_only, layer.shadow);
    case Figure::kActivationOnly:
      return SqnrAt(layer.activation_only, layer.shadow);
    case Figure::kInherited:
      return SqnrAt(layer.inherited, layer.activation);
    case Figure::kKernel:
      break;
  }
  return SqnrOf(layer.kernel);
}

std::optional<double> SqnrDb(const LayerComparison& layer,
                             const OutputComparison* output, Figure figure) {
  if (output == nullptr) {
    return SqnrDb(layer, figure);
  }
  switch (figure) {
    case Figure::kActivation:
      return SqnrOf(output->activation);
    case Figure::kShadow:
      return SqnrOf(output->shadow);
    case Figure::kInherited:
      return SqnrAt(output->inherited, output->activation);
    case Figure::kWeight:
    case Figure::kWeightOnly:
    case Figure::kActivationOnly:
    case Figure::kKernel:
      break;
  }
  return std::nullopt;
}

std::optional<double> UserFigureOf(const LayerComparison& layer,
                                   const OutputComparison* output,
                                   Figure figure, absl::string_view metric) {
  if (!SqnrDb(layer, output, figure)) {
    return std::nullopt;
  }
  for (const OutputView& view : OutputViews(layer)) {
    const ActivationComparison* const values = ValuesOf(layer, view, figure);
    if (view.other != output || values == nullptr) {
      continue;
    }
    for (const UserFigure& user_figure : values->user_figures) {
      if (user_figure.metric == metric) {
        return user_figure.value;
      }
    }
  }
  return std::nullopt;
}

OutputSqnr LowestSqnr(const LayerComparison& layer, Figure figure) {
  OutputSqnr lowest;
  for (const OutputView& output : OutputViews(layer)) {
    const std::optional<double> db = SqnrDb(layer, output.other, figure);
    if (db && (!lowest.db || IsLowerDb(*db, *lowest.db))) {
      lowest = {db, output.other};
    }
  }
  return lowest;
}

OutputSqnr RankedSqnr(const LayerComparison& layer, Figure figure) {
  OutputSqnr lowest;
  for (const OutputView& output : OutputViews(layer)) {
    const std::optional<double> db = SqnrDb(layer, output.other, figure);
    if (db && *db < INFINITY &&  // This is false for nan.
        IsOfFiniteValues(layer, output, figure) &&
        (!lowest.db || *db < *lowest.db)) {
      lowest = {db, output.other};
    }
  }
  return lowest;
}

std::vector<Figure> ShownFigures(const ComparisonResult& result) {
  const bool has_outputs =
      result.has_activations || result.has_shadows || result.has_kernels;
  std::vector<Figure> figures;
  if (!has_outputs || absl::c_any_of(result.layers, [](const auto& layer) {
        return !layer.weights.empty();
      })) {
    figures.push_back(Figure::kWeight);
  }
  if (result.has_activations) {
    figures.push_back(Figure::kActivation);
  }
  if (result.has_shadows) {
    figures.push_back(Figure::kShadow);
  }
  for (const Figure part : {Figure::kWeightOnly, Figure::kActivationOnly}) {
    if (AnyLayer(result, part)) {
      figures.push_back(part);
    }
  }
  if (result.has_activations && result.has_shadows) {
    figures.push_back(Figure::kInherited);
  }
  if (result.has_kernels) {
    figures.push_back(Figure::kKernel);
  }
  return figures;
}

Figure BarFigure(const ComparisonResult& result) {
  return result.has_activations ? Figure::kActivation
         : result.has_shadows   ? Figure::kShadow
         : result.has_kernels   ? Figure::kKernel
                                : Figure::kWeight;
}

void SortByFigure(Figure figure, Layers& layers) {
  absl::c_stable_sort(layers, [figure](const auto* a, const auto* b) {
    const std::optional<double> left = LowestSqnr(*a, figure).db;
    const std::optional<double> right = LowestSqnr(*b, figure).db;
    return left && (!right || IsLowerDb(*left, *right));
  });
}

Layers Ranked(const ComparisonResult& result, Figure figure) {
  Layers layers;
  for (const LayerComparison& layer : result.layers) {
    const bool may_be_culprit =
        layer.unpaired_input.empty() || figure == Figure::kWeight;
    if (may_be_culprit && RankedSqnr(layer, figure).db) {
      layers.push_back(&layer);
    }
  }
  absl::c_stable_sort(layers, [figure](const auto* a, const auto* b) {
    return *RankedSqnr(*a, figure).db < *RankedSqnr(*b, figure).db;
  });
  return layers;
}

}  // namespace ns
