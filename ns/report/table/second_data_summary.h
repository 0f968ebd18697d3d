// Writes the lines below a table that report on a second data set.
#ifndef NS_REPORT_TABLE_SECOND_DATA_SUMMARY_H_
#define NS_REPORT_TABLE_SECOND_DATA_SUMMARY_H_

#include <string>

#include "ns/result/comparison_result.h"

namespace ns {

// Says what the second data set costs, which layers have other ranges on it,
// the first five, and what helps:
//
//   second data             The lowest output SQNR is 12.6 dB (first data: 25.0
//                           dB); 1 of 9 layers has another range.
//     conv1  -3.1 to 14.2 (first data: -3 to 5.01)
//   help                    calibrate on both data sets
//
// An empty line comes first. Empty without a second data set.
std::string SecondDataSummary(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_TABLE_SECOND_DATA_SUMMARY_H_
