// The table of the kinds of figures that a layer can have besides those of its
// weights: what is compared, what it is called, and where results keep it. Its
// rows decide what a comparison gathers, and the members of JSON, rows of CSV,
// columns of tables and of the HTML report. To add a kind, add
//
//   * its comparer to PairComparers (passes/instrument/pair/paired_models.h),
//     and the pass that inserts it; or the run that gives its figures, as
//     ns/compare/second_data.h does;
//   * its figures to LayerComparison;
//   * its row to figure_kinds.cc.
#ifndef NS_RESULT_FIGURE_KINDS_H_
#define NS_RESULT_FIGURE_KINDS_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ns/result/comparison_result.h"
#include "passes/instrument/pair/paired_models.h"

namespace ns {

enum class Figure {
  kWeight,  // has no row: a layer may have several weights
  kActivation,
  kShadow,
  kWeightOnly,
  kActivationOnly,
  kInherited,
  kKernel,
  kSecondData,
};

// Where a layer, or another output than its first, has the figures of a kind:
// all of them, or the errors alone. Both are null where it has none.
template <typename Owner>
struct FigurePlace {
  std::optional<ActivationComparison> Owner::*values = nullptr;
  std::optional<ErrorFigures> Owner::*error = nullptr;
  // Of `error`: the figures of the same elements, which know how many there
  // are.
  std::optional<ActivationComparison> Owner::*same_elements = nullptr;
};

struct FigureKind {
  Figure figure;
  absl::string_view key;     // "weight_only", in JSON and CSV
  absl::string_view header;  // "weight only", in tables
  FigurePlace<LayerComparison> of_layer;
  FigurePlace<OutputComparison> of_output;
  // Null for a kind that another run of the models gives.
  PairComparerPtr PairComparers::*comparer;
  // Null for such a kind, too, and for one that only first outputs have.
  PairComparerPtr OtherOutputComparers::*output_comparer;
  // Whether it is about the shadow: there are no figures where that failed.
  bool is_of_shadow;
};

// All rows, in the order in which outputs show them. They live as long as the
// process.
absl::Span<const FigureKind> FigureKinds();

// Returns the row of `figure`, which is not kWeight.
const FigureKind& KindOf(Figure figure);

// Returns "weight", or FigureKind::header.
absl::string_view FigureName(Figure figure);

// Returns the figures that `owner` has at `place`; null where it has none, or
// errors alone.
template <typename Owner>
const ActivationComparison* ValuesAt(const Owner& owner,
                                     const FigurePlace<Owner>& place) {
  return place.values != nullptr && (owner.*place.values).has_value()
             ? &*(owner.*place.values)
             : nullptr;
}

// Returns the errors that `owner` has at `place`; null where it has none.
template <typename Owner>
const ErrorFigures* ErrorAt(const Owner& owner,
                            const FigurePlace<Owner>& place) {
  if (place.error != nullptr) {
    return (owner.*place.error).has_value() ? &*(owner.*place.error) : nullptr;
  }
  const ActivationComparison* const values = ValuesAt(owner, place);
  return values == nullptr ? nullptr : &values->error;
}

// Calls see(kind, values) for each kind of which `owner`, a layer or one of its
// outputs, has all figures.
template <typename See>
void ForEachValues(const LayerComparison& layer, const See& see) {
  for (const FigureKind& kind : FigureKinds()) {
    if (const ActivationComparison* v = ValuesAt(layer, kind.of_layer)) {
      see(kind, *v);
    }
  }
}
template <typename See>
void ForEachValues(const OutputComparison& output, const See& see) {
  for (const FigureKind& kind : FigureKinds()) {
    if (const ActivationComparison* v = ValuesAt(output, kind.of_output)) {
      see(kind, *v);
    }
  }
}

}  // namespace ns

#endif  // NS_RESULT_FIGURE_KINDS_H_
