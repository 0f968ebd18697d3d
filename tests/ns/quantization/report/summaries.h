// What `ns quantize` might report of a small model.
#ifndef TESTS_NS_QUANTIZATION_REPORT_SUMMARIES_H_
#define TESTS_NS_QUANTIZATION_REPORT_SUMMARIES_H_

#include "ns/quantization/report/quantize_summary.h"

namespace ns {

// A convolution and a sum by the global rule, a dynamic linear layer by another
// one, and a logarithm that stayed float.
inline QuantizeSummary SmallSummary() {
  constexpr char kStatic[] = "static 0..127 mse, int8 weight per channel";
  QuantizeSummary summary;
  summary.float_path = "f.pt";
  summary.out_path = "q.pt";
  summary.mode = "static";
  summary.backend = "fbgemm";
  summary.batches = 2;
  const ValueQuantization input = {0.5, 64, -32, 31.5};
  const ValueQuantization output = {0.0123456, 0, 0, 1.5678912};
  summary.report.layers = {
      {"conv1",
       "aten::conv2d",
       kStatic,
       "global",
       {input},
       output,
       WeightQuantization{"per_channel_symmetric", {0.25, 0.125}}},
      {"add", "aten::add", kStatic, "global", {output, input}, input, {}},
      {"fc",
       "aten::linear",
       "dynamic",
       "module name 'fc'",
       {},
       {},
       WeightQuantization{"per_tensor_symmetric", {0.001}}}};
  summary.report.stayed_float = {{"log", "aten::log", "has no int8 form"}};
  summary.outputs = {{"output", 30.25}};
  return summary;
}

}  // namespace ns

#endif  // TESTS_NS_QUANTIZATION_REPORT_SUMMARIES_H_
