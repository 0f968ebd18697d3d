// Shows as text which methods that make the error of quantization smaller were
// kept, and where.
#ifndef NS_QUANTIZATION_REPORT_TRIED_METHODS_TEXT_H_
#define NS_QUANTIZATION_REPORT_TRIED_METHODS_TEXT_H_

#include <string>
#include <vector>

#include "passes/quantization/layers/quantization_report.h"

namespace ns {

// Returns a paragraph for each method, in the order of `tried`. It lists at
// most 20 layers that keep the method, those that gain most first, and at most
// 20 for each reason not to keep it:
//
//   bias correction kept in 2 of 3 layers, SQNR on batches held back:
//     conv1  31.0 -> 36.2 dB
//     fc     40.1 -> 40.3 dB
//   not in 1, as it gains nothing: conv2
//
// Each paragraph begins with an empty line. The text is empty when `tried` is.
std::string TriedMethodsText(const std::vector<TriedMethod>& tried);

}  // namespace ns

#endif  // NS_QUANTIZATION_REPORT_TRIED_METHODS_TEXT_H_
