// Counts how well two models classify labelled samples, batch by batch.
#ifndef NS_ACCURACY_LABEL_ACCURACY_H_
#define NS_ACCURACY_LABEL_ACCURACY_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/base/byte_stream.h"
#include "ns/accuracy/paired_counts.h"
#include "ns/batches/batch.h"
#include "ns/result/accuracy.h"

namespace ns {

// Memory holds the labels, counts, and at most kMostFlips flips.
class LabelAccuracy {
 public:
  // The number of flips that are kept, the first ones; all are counted.
  static constexpr size_t kMostFlips = 1000;

  // Reads the labels of `batches` batches from what torch.save wrote, a list of
  // one tensor of integers, a class for each sample, for each batch. There may
  // be more of them only if `may_have_more`. Errors: those of LoadLabels, and
  // batches that have no label at all.
  static absl::StatusOr<LabelAccuracy> Load(const std::string& path,
                                            int64_t batches,
                                            bool may_have_more);

  // Keeps the labels of some samples alone: the batch at `index` is then
  // selection[index], and flips and errors have the numbers of the whole
  // batches. To be called once, before Add. Error, naming the file of labels
  // and the batch: there is not one label for each sample.
  absl::Status Select(std::vector<BatchSamples> selection);

  // Counts the samples of the batch at `index`, for which the models returned
  // these values. The scores are the first tensor of floats, or quantized
  // tensor, in what a model returns, [samples, classes]; ClassesOf
  // (ns/accuracy/class_labels.h) has the class. Error, naming the file of
  // labels and the batch: a model returns no such scores; the scores of the two
  // models differ in size; there is not one label for each sample; a label is
  // no class. The batch is then not counted.
  absl::Status Add(int64_t index, const c10::IValue& of_float,
                   const c10::IValue& of_quantized);

  // What was counted so far. Shares are nan before the first sample.
  Accuracy Result() const;

  // Save what was counted, and add it to what was counted of other batches: of
  // the flips, those of the first batches are kept.
  void Save(ByteWriter& writer) const;
  void Merge(ByteReader& reader);

 private:
  LabelAccuracy(std::string path, std::vector<at::Tensor> labels)
      : path_(std::move(path)), labels_(std::move(labels)) {}

  // The number of a batch, and of a sample in it, before Select.
  int64_t BatchAt(int64_t index) const;
  int64_t SampleAt(int64_t index, int64_t sample) const;
  absl::Status AddScores(int64_t index, const at::Tensor& of_float,
                         const at::Tensor& of_quantized);

  std::string path_;
  // Of each batch, [samples].
  std::vector<at::Tensor> labels_;
  std::optional<std::vector<BatchSamples>> selection_;
  PairedCounts counts_;
  int64_t flipped_ = 0;
  std::vector<Flip> flips_;
};

}  // namespace ns

#endif  // NS_ACCURACY_LABEL_ACCURACY_H_
