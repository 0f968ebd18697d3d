#include "ns/batches/run_batches.h"

#include <torch/csrc/jit/api/module.h>

#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ns/batches/batch.h"
#include "ns/batches/explain_misfit.h"

namespace ns {
namespace {

absl::StatusOr<c10::IValue> FitAndRun(ModelGraph& model, const Batch& batch) {
  NS_ASSIGN_OR_RETURN(Batch own, CatchTorchErrors("copying the batch", [&] {
                        return Copied(batch);
                      }));
  NS_RETURN_IF_ERROR(FitBatch(
      model.module().get_method(model.method()).function().getSchema(), own));
  absl::StatusOr<c10::IValue> result = model.Run(own.arguments, own.keywords);
  if (!result.ok()) {
    return WithMisfit(result.status(), model, own);
  }
  return result;
}

}  // namespace

absl::StatusOr<c10::IValue> RunBatch(absl::string_view name, ModelGraph& model,
                                     const Batch& batch, int64_t index) {
  absl::StatusOr<c10::IValue> result = FitAndRun(model, batch);
  if (!result.ok()) {
    return absl::Status(result.status().code(),
                        absl::StrCat(BatchName(batch, index), ": the ", name,
                                     " model, ", result.status().message()));
  }
  return result;
}

absl::Status RunBatches(absl::string_view name, ModelGraph& model,
                        const std::vector<Batch>& batches,
                        const std::function<void(size_t done)>& after_batch) {
  for (size_t i = 0; i < batches.size(); ++i) {
    NS_RETURN_IF_ERROR(
        RunBatch(name, model, batches[i], static_cast<int64_t>(i)).status());
    if (after_batch) {
      after_batch(i + 1);
    }
  }
  return absl::OkStatus();
}

absl::Status RunBatches(absl::string_view name, ModelGraph& model,
                        const BatchReader& reader,
                        absl::Span<const int64_t> numbers,
                        const std::function<void(size_t done)>& after_batch) {
  size_t done = 0;
  for (const int64_t number : numbers) {
    NS_ASSIGN_OR_RETURN(const Batch batch, reader.Read(number));
    NS_RETURN_IF_ERROR(RunBatch(name, model, batch, number).status());
    ++done;
    if (after_batch) {
      after_batch(done);
    }
  }
  return absl::OkStatus();
}

std::vector<int64_t> FirstBatches(int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace ns
