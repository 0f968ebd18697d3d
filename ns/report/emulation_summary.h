// Writes the lines below a table that tell what saturates on another processor.
#ifndef NS_REPORT_EMULATION_SUMMARY_H_
#define NS_REPORT_EMULATION_SUMMARY_H_

#include <string>

#include "ns/suite/comparison_result.h"

namespace ns {

// Lists the layers whose sums saturate, worst first: by what the layer costs by
// itself, or without shadows by what it costs together with all before it. Then
// come the layers in which sums could saturate and did not, and the number of
// layers in which they cannot. Where nothing ran, it lists the layers in which
// sums can saturate, and in how many channels. Empty when nothing was emulated.
std::string EmulationSummary(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_EMULATION_SUMMARY_H_
