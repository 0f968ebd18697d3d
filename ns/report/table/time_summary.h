// Writes the lines below a table that report how long the models take.
#ifndef NS_REPORT_TABLE_TIME_SUMMARY_H_
#define NS_REPORT_TABLE_TIME_SUMMARY_H_

#include <string>

#include "ns/result/comparison_result.h"

namespace ns {

// Reports the times of both models, the layers that are slower than in float,
// the first five, and what else takes time in the quantized model:
//
//   time of a batch         float 7.64 ms, quantized 4.35 ms: 1.76 times as
//                           fast
//   measured with           32 samples, 2 threads, the least of 87 runs
//   slower than in float    3 layers, by 0.42 ms
//     act2  310 µs instead of 120 µs: LibTorch's int8 kernel is slower than its
//     float kernel
//   between the layers      aten::dequantize 300 µs (12 nodes)
//   help                    lower the model: ns kernels take the place of 2 of
//                           these
//     ns lower quantized.pt quantized_lowered.pt
//
// An empty line comes first. Empty where nothing was timed.
std::string TimeSummary(const ComparisonResult& result);

}  // namespace ns

#endif  // NS_REPORT_TABLE_TIME_SUMMARY_H_
