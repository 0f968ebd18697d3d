// Compares two comparisons, of the same models or of those made later, layer by
// layer.
#ifndef NS_REPORT_COMPARISON_DIFF_H_
#define NS_REPORT_COMPARISON_DIFF_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ns/suite/comparison_result.h"
#include "ns/suite/limit_check.h"

namespace ns {

// Which SQNR of which layer.
struct DiffedFigure {
  // The name of the layer, of the module with a stub, or of the module's
  // output.
  std::string layer;
  // The name of a weight, of layers with several, or of another output than the
  // first; else empty.
  std::string part;
  // "weight", "activation", "shadow", "kernel"; "stub" or "output" of modules.
  std::string figure;
};

// One SQNR in two comparisons, the earlier (a) and the later (b).
struct FigureChange : DiffedFigure {
  // In dB.
  double a = 0;
  double b = 0;
  // Twice the standard error of b - a, in dB; see Tolerance. 0 where that is
  // not known.
  double tolerance = 0;

  // b - a in dB: below 0 where the later comparison is the worse one; 0 where
  // both are the same infinity, nan where one of them is nan.
  double Change() const;
  // Whether both are the same, nan included.
  bool IsSame() const;
};

struct ComparisonDiff {
  // The figures that both comparisons have, in the order of the later one.
  std::vector<FigureChange> changes;
  // Those that only one of them has, of layers that both have and of modules,
  // in its order. A layer loses its figure when it does not run any more, or
  // when the shapes of its values differ.
  std::vector<DiffedFigure> figures_only_a;
  std::vector<DiffedFigure> figures_only_b;
  // Names of layers that only one of them has, in its order.
  std::vector<std::string> only_a;
  std::vector<std::string> only_b;
  size_t layers_in_both = 0;
  size_t unmatched_a = 0;
  size_t unmatched_b = 0;
  int64_t batches_a = 0;
  int64_t batches_b = 0;

  // Whether the two tell the same of the same layers.
  bool IsEmpty() const;
};

// Returns how far the difference of two pooled figures may be chance, in dB,
// from the SQNR of each batch: twice the standard error of the difference. A
// figure that is pooled over n batches scatters about as their mean does, so:
//
//   as many batches on both sides, which may be the same:
//     2 s(b_i - a_i) / sqrt(n)
//   otherwise:
//     2 sqrt(s(a_i)^2 / n_a + s(b_i)^2 / n_b)
//
// with s the standard deviation of a sample (divided by n - 1), over the
// batches (the pairs) whose figures are finite. So a later run on the same
// batches has nearly none, and one on other images gets what these explain. 0
// for fewer than two batches on a side.
double Tolerance(const std::vector<double>& batches_a,
                 const std::vector<double>& batches_b);

// Layers and modules correspond by name, their parts by name as well.
ComparisonDiff DiffComparisons(const ComparisonResult& a,
                               const ComparisonResult& b);

// Checks that `baseline` is of the same float model as `result`: at least half
// of the layers of either are in the other, with the same name, float op and
// shapes of weights. Error: it is not.
absl::Status CheckSameModel(const ComparisonResult& baseline,
                            const ComparisonResult& result);

// Holds one figure against a limit of kMaxDrop: activations where some layer
// has one in `a` and in `b`, or else shadows, kernels, weights, stubs or
// outputs. A check passes where
//
//   a - b <= max_drop_db + tolerance
//
// and b is no nan, even if a is. A figure that `b` has lost is nan: its check
// does not pass. Where no layer has such a figure in both, one check without a
// layer does not pass.
std::vector<LimitCheck> CheckDrops(const ComparisonDiff& diff,
                                   double max_drop_db);

}  // namespace ns

#endif  // NS_REPORT_COMPARISON_DIFF_H_
