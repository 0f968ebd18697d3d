// Says in words how well two models classify.
#ifndef NS_REPORT_TABLE_ACCURACY_TEXT_H_
#define NS_REPORT_TABLE_ACCURACY_TEXT_H_

#include <string>

#include "ns/result/accuracy.h"

namespace ns {

// Returns the lines for the summary below a table: top-1 of both models, the
// difference with its confidence interval, the share of samples that both put
// into the same class, how many they do not, and the first 10 of those.
std::string AccuracySummary(const Accuracy& accuracy);

}  // namespace ns

#endif  // NS_REPORT_TABLE_ACCURACY_TEXT_H_
