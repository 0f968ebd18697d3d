// What tables show of a layer.
#ifndef NS_REPORT_TABLE_FIGURES_H_
#define NS_REPORT_TABLE_FIGURES_H_

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/suite/comparison_result.h"

namespace ns {

// "conv2d" of "aten::conv2d".
absl::string_view ShortOp(absl::string_view op);

enum class Figure { kWeight, kActivation, kShadow, kInherited, kKernel };

// "weight", "activation", "shadow", "inherited" or "kernel".
absl::string_view FigureName(Figure figure);

// Of several weights the lowest, and nan before all; of several outputs the
// first. Absent where the layer has no such figure, or no values that it could
// be of.
std::optional<double> SqnrDb(const LayerComparison& layer, Figure figure);

// The same of an output of `layer`, null for the first. Others have neither
// weights nor kernels.
std::optional<double> SqnrDb(const LayerComparison& layer,
                             const OutputComparison* output, Figure figure);

// What the user's `metric` is there. Absent likewise, and of weights and what
// was inherited, which have none.
std::optional<double> UserFigureOf(const LayerComparison& layer,
                                   const OutputComparison* output,
                                   Figure figure, absl::string_view metric);

// A figure of a layer, and the output that has it; null for the first.
struct OutputSqnr {
  std::optional<double> db;
  const OutputComparison* output = nullptr;
};

// Of all outputs the lowest, nan before all.
OutputSqnr LowestSqnr(const LayerComparison& layer, Figure figure);

// Of all outputs the lowest by which Ranked ranks `layer`: a number below
// infinity of values that are all finite. Absent for none.
OutputSqnr RankedSqnr(const LayerComparison& layer, Figure figure);

// The figures asked for, as far as the result tells, in the order of columns.
std::vector<Figure> ShownFigures(const ComparisonResult& result);

// Of the figures asked for the first of activation, shadow, kernel and weight.
Figure BarFigure(const ComparisonResult& result);

using Layers = std::vector<const LayerComparison*>;

// Lowest first, by LowestSqnr: nan before all, layers without the figure last.
void SortByFigure(Figure figure, Layers& layers);

// The layers that have a number below infinity, lowest first, each by the worst
// of its outputs. Not those where a value is NaN or infinite: their number
// tells of nothing else. Of layers with an unpaired input, only weights are
// ranked.
Layers Ranked(const ComparisonResult& result, Figure figure);

}  // namespace ns

#endif  // NS_REPORT_TABLE_FIGURES_H_
