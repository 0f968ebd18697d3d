// The result of a comparison as CSV, for spreadsheets and data frames.
#ifndef NS_CSV_REPORT_H_
#define NS_CSV_REPORT_H_

#include <string>

#include "ns/comparison_result.h"

namespace ns {

// A header and one row for each weight, activation and shadow that was
// compared, in the order of `result.layers`. A layer without any has no row.
//
//   name, kind (weight, activation or shadow), parameter (of weights),
//   float_fqn, float_op, quantized_fqn, quantized_op, shape ("2x64x56x56"),
//   sqnr_db, normalized_l2, cosine, max_abs_error,
//   batches (of activations and shadows: how many were compared)
//
// Fields are quoted as in RFC 4180; lines end in \n, which every reader takes
// and line tools prefer to the \r\n of the RFC. Infinities are inf and -inf.
std::string ToCsv(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_CSV_REPORT_H_
