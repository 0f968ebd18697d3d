// Compares what quantized models return with what the float model has returned.
#ifndef NS_SEARCH_MEASURED_OUTPUTS_H_
#define NS_SEARCH_MEASURED_OUTPUTS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "ns/accuracy/paired_counts.h"
#include "ns/batches/output_tensors.h"
#include "passes/runtime/statistics/pair_statistics.h"

namespace ns {

// Keeps outputs of the float model, so that it need not run again. With labels,
// it also counts which samples both models classify well.
class MeasuredOutputs {
 public:
  explicit MeasuredOutputs(bool has_labels) : has_labels_(has_labels) {}

  // Keeps copies of what the float model returned for the batch at `index`.
  void AddFloat(int64_t index, const NamedTensors& outputs) {
    float_[index] = CopiesOf(outputs);
  }

  // `outputs` are those of the float model for the batch at `index`, of which
  // the first is scores [samples, classes], and `labels` has a class for each
  // sample. Keeps the labels, and which samples have the greatest score there.
  // To be called for each batch before Compare is, where there are labels.
  // Error: scores or labels that do not fit (CheckLabels).
  absl::Status AddLabels(int64_t index, const NamedTensors& outputs,
                         const at::Tensor& labels);

  // Forgets quantized outputs: to be called in front of each quantized model.
  void Begin();

  // Compares what a quantized model returned for the batch at `index`. Batches
  // that AddFloat was not called for count for top1 alone. A sample with a nan
  // among its scores is wrong. A refusal (ir/base/refusal.h) of other outputs
  // than those of the float model, in number or shape.
  absl::Status Compare(int64_t index, const NamedTensors& outputs);

  // The power of the error over that of the float output, of all batches since
  // Begin; of several outputs, the largest. Nan as soon as a value is, and
  // infinite where only the float output is zero (PairStatistics); 0 where
  // nothing was compared.
  double noise() const;
  const PairedCounts& top1() const { return top1_; }

 private:
  struct Labelled {
    at::Tensor labels;
    at::Tensor is_correct;
  };

  absl::Status CountCorrect(const Labelled& labelled,
                            const NamedTensors& outputs);

  bool has_labels_;
  std::map<int64_t, NamedTensors> float_;
  std::map<int64_t, Labelled> labelled_;
  // Of each output.
  std::vector<PairStatistics> statistics_;
  PairedCounts top1_;
};

}  // namespace ns

#endif  // NS_SEARCH_MEASURED_OUTPUTS_H_
