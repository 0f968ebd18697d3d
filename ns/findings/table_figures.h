// Selects, ranks and sorts the figures of layers that tables show.
#ifndef NS_FINDINGS_TABLE_FIGURES_H_
#define NS_FINDINGS_TABLE_FIGURES_H_

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "ns/result/comparison_result.h"
#include "ns/result/figure_kinds.h"

namespace ns {

// Returns "conv2d" for "aten::conv2d".
absl::string_view ShortOp(absl::string_view op);

// Returns the SQNR of a layer in dB. Of several weights it is the lowest, nan
// before all; of several outputs that of the first. Absent where the layer has
// no such figure, or where no element was compared.
std::optional<double> SqnrDb(const LayerComparison& layer, Figure figure);

// Returns the same for an output of `layer`, null for the first. Other outputs
// have neither weights nor kernels, nor what only a part does.
std::optional<double> SqnrDb(const LayerComparison& layer,
                             const OutputComparison* output, Figure figure);

// Returns the mean of `metric`, one of ComparisonResult::user_metrics, over the
// values that the figure is about. Absent where there is none, and for figures
// other than kActivation, kShadow and kKernel.
std::optional<double> UserFigureOf(const LayerComparison& layer,
                                   const OutputComparison* output,
                                   Figure figure, absl::string_view metric);

// A figure of a layer, and the output that has it; null for the first.
struct OutputSqnr {
  std::optional<double> db;
  const OutputComparison* output = nullptr;
};

// Returns the lowest figure of all outputs, nan before all.
OutputSqnr LowestSqnr(const LayerComparison& layer, Figure figure);

// Returns the lowest figure of the outputs by which Ranked ranks `layer`: a
// number below infinity, of values that are all finite. Absent when there is
// none.
OutputSqnr RankedSqnr(const LayerComparison& layer, Figure figure);

// Returns the figures that were asked for, as far as the result tells, in the
// order of columns.
std::vector<Figure> ShownFigures(const ComparisonResult& result);

// Returns the first of activation, shadow, kernel and weight that was asked
// for.
Figure BarFigure(const ComparisonResult& result);

using Layers = std::vector<const LayerComparison*>;

// Sorts layers by LowestSqnr, lowest first: nan before all, layers without the
// figure last.
void SortByFigure(Figure figure, Layers& layers);

// Returns the layers whose figure is a number below infinity, lowest first,
// each by the worst of its outputs. Outputs with values that are NaN or
// infinite are left out, since their figure tells of nothing else. Layers with
// an unpaired input are ranked by their weights only.
Layers Ranked(const ComparisonResult& result, Figure figure);

}  // namespace ns

#endif  // NS_FINDINGS_TABLE_FIGURES_H_
