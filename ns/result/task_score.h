// Holds a figure of the task, such as mAP or WER, of two models, as plain data.
#ifndef NS_RESULT_TASK_SCORE_H_
#define NS_RESULT_TASK_SCORE_H_

#include <string>

namespace ns {

// What a score module of the user computed for each model from the same
// batches. A higher score is better.
struct TaskScore {
  std::string name;
  // In the units of the module; nan where it gave nan.
  double of_float = 0;
  double of_quantized = 0;
  // of_quantized - of_float.
  double difference = 0;
};

}  // namespace ns

#endif  // NS_RESULT_TASK_SCORE_H_
