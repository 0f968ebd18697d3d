// Says in words how well two models do their task.
#ifndef NS_REPORT_TABLE_ACCURACY_TEXT_H_
#define NS_REPORT_TABLE_ACCURACY_TEXT_H_

#include <string>
#include <vector>

#include "ns/result/accuracy.h"
#include "ns/result/class_agreement.h"
#include "ns/result/compared_samples.h"
#include "ns/result/task_score.h"

namespace ns {

// Returns the lines for the summary below a table: top-1 of both models, the
// difference with its confidence interval, the share of samples that both put
// into the same class, how many they do not, and the first 10 of those.
std::string AccuracySummary(const Accuracy& accuracy);

// Returns "top-1 99.61 %, top-5 100.00 %, confidence -0.0018": how far the
// models agree.
std::string AgreementText(const ClassAgreement& agreement);

// Returns "3, 17 of 256 (flipped)": which samples were compared, the first 10
// of them.
std::string SamplesText(const ComparedSamples& samples);

// Returns an empty line and a line for each score, "score map  float 0.912
// quantized 0.874  -0.038", with columns below each other; nothing without
// scores.
std::string ScoreSummary(const std::vector<TaskScore>& scores);

// Returns a score as one value: "float 0.912, quantized 0.874, -0.038".
std::string ScoreText(const TaskScore& score);

}  // namespace ns

#endif  // NS_REPORT_TABLE_ACCURACY_TEXT_H_
