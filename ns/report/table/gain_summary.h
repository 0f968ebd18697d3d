// Writes the lines below a table that report what changes gain.
#ifndef NS_REPORT_TABLE_GAIN_SUMMARY_H_
#define NS_REPORT_TABLE_GAIN_SUMMARY_H_

#include <string>

#include "ns/result/comparison_result.h"

namespace ns {

// Lists the layers that gain in float, and then the changes that gain in a
// layer, of each the five with the largest gain, from kLeastSuggestedGainDb on
// (ns/report/table/change_text.h):
//
//   measured gain           fc  in float: output 21.6 -> 27.4 dB (+5.8)
//   measured gain           fc  scale 0.31 -> 0.024: 12.1 -> 33.4 dB (+21.3)
//
// A line says so where none was found; there is none where none was measured.
std::string GainSummary(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_TABLE_GAIN_SUMMARY_H_
