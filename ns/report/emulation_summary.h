// The lines below a table that tell what saturates on another processor.
#ifndef NS_REPORT_EMULATION_SUMMARY_H_
#define NS_REPORT_EMULATION_SUMMARY_H_

#include <string>

#include "ns/suite/comparison_result.h"

namespace ns {

// The layers whose sums saturate, worst first: by what the layer itself costs,
// or without shadows what it costs with all before it; then in which layers
// sums could saturate and did not, and in how many they cannot. Where nothing
// ran, in which they can, and in how many channels. Empty when nothing was
// emulated.
std::string EmulationSummary(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_EMULATION_SUMMARY_H_
