// Compares what two models return, batch by batch.
#ifndef NS_SUITE_MODEL_OUTPUTS_H_
#define NS_SUITE_MODEL_OUTPUTS_H_

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/byte_stream.h"
#include "ns/result/comparison_result.h"
#include "passes/runtime/loggers/pair_accumulator.h"

namespace ns {

// Figures of the tensors in what two models return. Memory holds sums alone.
// Like a PairAccumulator, it depends on which batches were added, not on their
// order.
class ModelOutputs {
 public:
  // Adds what the models returned for one batch. Tensors belong together by
  // their place (ns/batches/output_tensors.h). Those that one model alone
  // returns, and those of different shapes, are left out, and so are integers
  // and truth values: class ids have no error of quantization. Channels are the
  // second dimension of four or more, and else the last.
  void Add(const c10::IValue& of_float, const c10::IValue& of_quantized);

  // Sets the number of the batch that is added next. Without this, batches are
  // numbered from 0.
  void SetBatch(int64_t number) { batch_ = number; }

  // Returns the figures of all batches so far, in the order in which the
  // quantized model returns the tensors.
  std::vector<ModuleOutputComparison> Figures() const;

  // Returns the tensors whose axes are exchanged (PairRecord::exchanged), those
  // of other shapes, too.
  std::vector<ExchangedOutput> Exchanged() const;

  // Adds what was seen of other batches.
  void Merge(const ModelOutputs& other);

  // As those of PairAccumulator.
  void Save(ByteWriter& writer) const;
  static ModelOutputs Load(ByteReader& reader);

 private:
  struct Output {
    std::string place;
    // The first batch that has it, and its number among the tensors there.
    std::pair<int64_t, int64_t> first;
    PairAccumulator values;
  };

  // Returns the output at `place`, which comes at `first` there.
  Output& At(const std::string& place, std::pair<int64_t, int64_t> first);
  // Sorts the outputs as they first came.
  void Sort();

  std::vector<Output> outputs_;
  int64_t batch_ = 0;
};

}  // namespace ns

#endif  // NS_SUITE_MODEL_OUTPUTS_H_
