// Shows layer by layer what differs between two comparisons, such as one from
// before and one from after a change of the quantized model.
#ifndef NS_FINDINGS_LIMITS_COMPARISON_DIFF_H_
#define NS_FINDINGS_LIMITS_COMPARISON_DIFF_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ns/result/comparison_result.h"
#include "ns/result/limit_check.h"

namespace ns {

// Says which SQNR of which layer is meant.
struct DiffedFigure {
  // LayerComparison::name, StubComparison::name or
  // ModuleOutputComparison::name.
  std::string layer;
  // The name of the weight where the layer has several, or of the output if it
  // is not the first; else empty.
  std::string part;
  // "weight", "activation", "shadow", "kernel", "second data"; "stub" or
  // "output" of modules.
  std::string figure;
  // As ModuleOutputComparison, in either comparison.
  bool holds_integers = false;
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

// The layers whose outputs have other bits, by name and in the order of the
// later comparison. The first one is where the runs part.
struct BitChanges {
  std::vector<std::string> in_float;
  std::vector<std::string> in_quantized;
  // How many layers have fingerprints in both comparisons.
  size_t compared = 0;
};

// A layer whose output has another scale or zero point.
struct QParamsChange {
  std::string layer;
  LayerQParams a;
  LayerQParams b;
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
  // Absent unless some layer has fingerprints in both, and where these are of
  // other batches or samples: all bits then differ, whatever the models
  // compute.
  std::optional<BitChanges> bits;
  bool fingerprints_of_other_batches = false;
  // In the order of the later comparison.
  std::vector<QParamsChange> qparams;
  size_t layers_in_both = 0;
  size_t unmatched_a = 0;
  size_t unmatched_b = 0;
  int64_t batches_a = 0;
  int64_t batches_b = 0;

  // Whether both have the same layers and figures, all figures, bits, scales
  // and zero points are the same, and as many ops are unmatched. The numbers of
  // batches may differ.
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

// Checks figures of one kind against a limit of kMaxDrop, each in a check of
// its own. The kind is the first of activation, shadow, kernel, weight, stub
// and output that some layer has in both comparisons. A check passes where
//
//   a - b <= max_drop_db + tolerance
//
// and b is not nan; if only a is nan, it passes. A figure that only `a` has
// fails, with nan as the value of its check. Outputs of modules that hold
// integers are passed over. Where no figure of any kind is in both, the result
// is one failed check without a layer.
std::vector<LimitCheck> CheckDrops(const ComparisonDiff& diff,
                                   double max_drop_db);

// Checks the outputs of the model likewise, by their names, against a limit of
// kMaxOutputDrop.
std::vector<LimitCheck> CheckOutputDrops(const ComparisonResult& a,
                                         const ComparisonResult& b,
                                         double max_drop_db);

}  // namespace ns

#endif  // NS_FINDINGS_LIMITS_COMPARISON_DIFF_H_
