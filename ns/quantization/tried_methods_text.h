// Shows which methods to lose less were kept, as text.
#ifndef NS_QUANTIZATION_TRIED_METHODS_TEXT_H_
#define NS_QUANTIZATION_TRIED_METHODS_TEXT_H_

#include <string>
#include <vector>

#include "passes/quantization/quantization_report.h"

namespace ns {

// Returns a paragraph a method, the largest gains first, at most 20:
//
//   bias correction kept in 2 of 3 layers, SQNR on batches held back:
//     conv1  31.0 -> 36.2 dB
//     fc     40.1 -> 40.3 dB
//   not in 1, as it gains nothing: conv2
//
// Each begins with an empty line. Empty where nothing was tried.
std::string TriedMethodsText(const std::vector<TriedMethod>& tried);

}  // namespace ns

#endif  // NS_QUANTIZATION_TRIED_METHODS_TEXT_H_
