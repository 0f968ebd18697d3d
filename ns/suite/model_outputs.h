// Compares what two models return, batch by batch.
#ifndef NS_SUITE_MODEL_OUTPUTS_H_
#define NS_SUITE_MODEL_OUTPUTS_H_

#include <ATen/core/ivalue.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ns/result/comparison_result.h"
#include "passes/runtime/loggers/pair_record.h"
#include "passes/runtime/statistics/exchanged_axes.h"

namespace ns {

// Figures of the tensors in what two models return. Memory holds sums alone.
class ModelOutputs {
 public:
  // Adds what the models returned for one batch. Tensors belong together by
  // their place (ns/batches/output_tensors.h). Those that one model alone
  // returns, and those of different shapes, are left out, and so are integers
  // and truth values: class ids have no error of quantization. Channels are the
  // second dimension of four or more, and else the last.
  void Add(const c10::IValue& of_float, const c10::IValue& of_quantized);

  // Returns the figures of all batches so far, in the order in which the
  // quantized model returns the tensors.
  std::vector<ModuleOutputComparison> Figures() const;

  // Returns the tensors whose first pair has exchanged axes
  // (passes/runtime/statistics/exchanged_axes.h), those of other shapes, too.
  std::vector<ExchangedOutput> Exchanged() const;

 private:
  PairRecord& RecordAt(const std::string& place);

  void LookForExchange(const std::string& place, const at::Tensor& x,
                       const at::Tensor& y);

  // By their places.
  std::vector<std::pair<std::string, PairRecord>> outputs_;
  // The places that were looked at for exchanged axes.
  std::vector<std::pair<std::string, std::optional<ExchangedAxes>>> exchanged_;
};

}  // namespace ns

#endif  // NS_SUITE_MODEL_OUTPUTS_H_
