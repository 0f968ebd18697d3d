#include "ns/batches/run_batches.h"

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/status.h"
#include "ns/batches/batch.h"

namespace ns {
namespace {

absl::StatusOr<c10::IValue> FitAndRun(ModelGraph& model, Batch batch) {
  NS_RETURN_IF_ERROR(FitBatch(
      model.module().get_method(model.method()).function().getSchema(), batch));
  return model.Run(batch.arguments, batch.keywords);
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

}  // namespace ns
