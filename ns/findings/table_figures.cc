#include "ns/findings/table_figures.h"

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ns/findings/error_breakdown.h"
#include "ns/findings/figure_text.h"
#include "ns/findings/output_view.h"
#include "ns/result/comparison_result.h"

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

// Without elements there is nothing to show.
bool HasElements(const std::optional<ActivationComparison>& figures) {
  return figures && figures->elements != 0;
}

// Returns null where `figure` is not about compared values, or where the output
// has no such figure.
const ActivationComparison* ValuesOf(const LayerComparison& layer,
                                     const OutputView& output, Figure figure) {
  if (figure == Figure::kWeight) {
    return nullptr;
  }
  const FigureKind& kind = KindOf(figure);
  return output.other == nullptr ? ValuesAt(layer, kind.of_layer)
                                 : ValuesAt(*output.other, kind.of_output);
}

// Figures that are not about compared values are finite or nan.
bool IsOfFiniteValues(const LayerComparison& layer, const OutputView& output,
                      Figure figure) {
  const ActivationComparison* const values = ValuesOf(layer, output, figure);
  return values == nullptr || IsOfFiniteValues(*values);
}

template <typename Owner>
std::optional<double> SqnrAt(const Owner& owner,
                             const FigurePlace<Owner>& place) {
  const ErrorFigures* const error = ErrorAt(owner, place);
  const auto elements =
      place.values != nullptr ? place.values : place.same_elements;
  return error != nullptr && HasElements(owner.*elements)
             ? std::make_optional(error->sqnr_db)
             : std::nullopt;
}

bool AnyLayer(const ComparisonResult& result, Figure figure) {
  return absl::c_any_of(result.layers, [&](const LayerComparison& layer) {
    return SqnrDb(layer, figure).has_value();
  });
}

// Whether a table shows the figure. What was asked for has a column even when
// no layer has it.
bool WasAskedFor(Figure figure, const ComparisonResult& result) {
  switch (figure) {
    case Figure::kActivation:
      return result.has_activations;
    case Figure::kShadow:
      return result.has_shadows;
    case Figure::kInherited:
      return result.has_activations && result.has_shadows;
    case Figure::kKernel:
      return result.has_kernels;
    default:
      return AnyLayer(result, figure);
  }
}

}  // namespace

absl::string_view ShortOp(absl::string_view op) {
  const size_t colon = op.rfind(':');
  return colon == absl::string_view::npos ? op : op.substr(colon + 1);
}

std::optional<double> SqnrDb(const LayerComparison& layer, Figure figure) {
  return figure == Figure::kWeight ? LowestWeight(layer)
                                   : SqnrAt(layer, KindOf(figure).of_layer);
}

std::optional<double> SqnrDb(const LayerComparison& layer,
                             const OutputComparison* output, Figure figure) {
  if (output == nullptr) {
    return SqnrDb(layer, figure);
  }
  return figure == Figure::kWeight ? std::nullopt
                                   : SqnrAt(*output, KindOf(figure).of_output);
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
  for (const FigureKind& kind : FigureKinds()) {
    if (WasAskedFor(kind.figure, result)) {
      figures.push_back(kind.figure);
    }
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
