#include "ns/batches/run_batches.h"

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "ns/batches/batch.h"

namespace ns {
namespace {

absl::Status RunBatch(ModelGraph& model, Batch batch) {
  const absl::Status status = FitBatch(
      model.module().get_method(model.method()).function().getSchema(), batch);
  return status.ok() ? model.Run(batch.arguments, batch.keywords).status()
                     : status;
}

}  // namespace

absl::Status RunBatches(absl::string_view name, ModelGraph& model,
                        const std::vector<Batch>& batches,
                        const std::function<void(size_t done)>& after_batch) {
  for (size_t i = 0; i < batches.size(); ++i) {
    const absl::Status status = RunBatch(model, batches[i]);
    if (!status.ok()) {
      return absl::Status(
          status.code(),
          absl::StrCat(BatchName(batches[i], static_cast<int64_t>(i)), ": the ",
                       name, " model, ", status.message()));
    }
    if (after_batch) {
      after_batch(i + 1);
    }
  }
  return absl::OkStatus();
}

}  // namespace ns
