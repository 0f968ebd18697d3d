// Writes the lines below a table that tell what saturates on another processor.
#ifndef NS_REPORT_TABLE_EMULATION_SUMMARY_H_
#define NS_REPORT_TABLE_EMULATION_SUMMARY_H_

#include <string>

#include "ns/result/comparison_result.h"

namespace ns {

// Returns an empty line and then the layers whose sums saturate, those that
// cost the most SQNR first: by PairSaturation::shadow_cost_db or, without
// shadows, by cost_db. Then come the layers in which sums could saturate and
// did not, and the number of layers in which they cannot. Where nothing ran, it
// lists the layers in which sums can saturate, and in how many channels. A list
// has ten layers at most, and says how many more there are. Empty when nothing
// was emulated.
std::string EmulationSummary(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_TABLE_EMULATION_SUMMARY_H_
