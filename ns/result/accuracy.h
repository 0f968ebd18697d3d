// Holds how well two models classify the same labelled samples, as plain data.
#ifndef NS_RESULT_ACCURACY_H_
#define NS_RESULT_ACCURACY_H_

#include <cstdint>
#include <vector>

namespace ns {

// A sample that the two models put into different classes.
struct Flip {
  // The number of the batch, and of the sample in it, from 0.
  int64_t batch = 0;
  int64_t sample = 0;
  int64_t label = 0;
  // The classes that the models gave it; -1 where a score was nan.
  int64_t float_class = 0;
  int64_t quantized_class = 0;
  // By how much the greatest score is above the second greatest, in the units
  // of the scores; nan with a single class.
  double float_margin = 0;
  double quantized_margin = 0;
};

// What two models make of the same labelled samples. Shares are of all samples,
// 0 to 1.
struct Accuracy {
  int64_t samples = 0;
  // The shares of samples whose label has the greatest score.
  double float_top1 = 0;
  double quantized_top1 = 0;
  // The share of samples that both models put into the same class.
  double agreement = 0;
  // quantized_top1 - float_top1, and its 95 % confidence interval
  // (ns/accuracy/top1_interval.h).
  double difference = 0;
  double lowest_difference = 0;
  double highest_difference = 0;
  // Samples that one model alone has right: the float one, the quantized one.
  int64_t lost = 0;
  int64_t won = 0;
  // How many samples flip, and the first of them in order, as many as are kept.
  int64_t flipped = 0;
  std::vector<Flip> flips;
};

}  // namespace ns

#endif  // NS_RESULT_ACCURACY_H_
