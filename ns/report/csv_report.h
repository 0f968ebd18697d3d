// Writes the result of a comparison as CSV, for spreadsheets and data frames.
#ifndef NS_REPORT_CSV_REPORT_H_
#define NS_REPORT_CSV_REPORT_H_

#include <string>
#include <vector>

#include "ns/result/comparison_result.h"

namespace ns {

// Returns a header and one row for each weight, activation, shadow, inherited
// error, part and kernel that was compared, in the order of `result.layers`,
// then one for each tensor of `result.stubs`, then one for each of
// `result.outputs`. A layer without any of these has no row. Activations,
// shadows and inherited errors of a layer's other outputs come behind those of
// the first. The columns are
//
//   name, kind (weight, activation, shadow, weight_only, activation_only,
//   inherited, kernel, stub or output),
//   parameter (of weights, and of outputs but the first: "weight_ih_l0",
//   "c_n"), float_fqn, float_op, quantized_fqn, quantized_op (of stubs and
//   outputs, the types of the modules instead of ops),
//   shape ("2x64x56x56"), sqnr_db, normalized_l2, cosine, max_abs_error,
//   batches (of outputs: how many were compared), elements,
//   float_min, float_max, quantized_min, quantized_max,
//   float_nan, float_inf, quantized_nan, quantized_inf (counts),
//   codes_lowest, codes_highest (elements at the lowest and the highest
//   quantized value), codes_unused (quantized values that never occur),
//   worst_channels ("3:12.1 7:14.0", channel and SQNR in dB, worst first),
//   dominated_by (of activations: local, inherited or both),
//   mean_error (of quantized minus float), bias_share (0 to 1), and whatever
//   metric comes later (ns/result/metrics.h)
//
// then, where outliers were asked for, abs_error_p999 and outlier_share
// (OutlierFigures), then the metrics of the user (`result.user_metrics`), and,
// where another processor was emulated,
//
//   emulated ("fbgemm-avx2"), saturation_possible (true or false),
//   saturating_channels, worst_pair_sum, outputs, saturated, saturated_share
//   (of the layer, as PairSaturation), exact_sqnr_db, saturation_cost_db (of
//   activations and shadows)
//
// A field is empty where there is nothing to tell.
//
// Fields are quoted as in RFC 4180; lines end in \n, which every reader takes
// and line tools prefer to the \r\n of the RFC. Infinities are inf and -inf.
// Text that begins with =, +, - or @, which spreadsheets take for a formula,
// has a single quote in front, as OWASP advises; control characters in it are
// escaped as in tables, so that each row is one line.
std::string ToCsv(const ComparisonResult& result);

// Returns the names of all columns that ToCsv may write, but for the metrics of
// the user.
std::vector<std::string> CsvColumns();

}  // namespace ns

#endif  // NS_REPORT_CSV_REPORT_H_
