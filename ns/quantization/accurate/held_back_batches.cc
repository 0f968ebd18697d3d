#include "ns/quantization/accurate/held_back_batches.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "ir/base/status.h"
#include "ns/batches/run_batches.h"
#include "ns/quantization/model/calibrator.h"
#include "passes/quantization/observe/prepared_model.h"

namespace ns {
namespace {

// So few, as each is run several times: all runs together are to take no longer
// than calibration.
constexpr int64_t kBatchesForOne = 16;
constexpr int64_t kMostHeldBack = 8;

void SetMeansEnabled(const ModelGraph& prepared, bool enabled) {
  for (const auto& [name, means] : AttachedMeans(prepared.module())) {
    means->SetEnabled(enabled);
  }
}

}  // namespace

int64_t HeldBackBatches(int64_t batches) {
  return batches < 2 ? 0
                     : std::min(kMostHeldBack,
                                std::max<int64_t>(1, batches / kBatchesForOne));
}

absl::Status CalibrateInTwoParts(const ModelGraph& prepared,
                                 const BatchReader& batches,
                                 const std::function<void()>& before_held_back,
                                 const AfterBatch& after_batch) {
  NS_ASSIGN_OR_RETURN(Calibrator calibrator, Calibrator::Create(prepared));
  const std::vector<int64_t> all = FirstBatches(batches.size());
  const auto first =
      static_cast<size_t>(batches.size() - HeldBackBatches(batches.size()));
  const auto run = [&](size_t begin, size_t end) {
    return calibrator.Run(batches,
                          absl::MakeConstSpan(all).subspan(begin, end - begin),
                          [&](size_t done) {
                            if (after_batch) {
                              after_batch(static_cast<int64_t>(begin + done));
                            }
                          });
  };
  NS_RETURN_IF_ERROR(run(0, first));
  before_held_back();
  return run(first, all.size());
}

absl::Status CalibrateHoldingBack(const ModelGraph& prepared,
                                  const BatchReader& batches,
                                  const AfterBatch& after_batch) {
  const absl::Status status = CalibrateInTwoParts(
      prepared, batches, [&] { SetMeansEnabled(prepared, false); },
      after_batch);
  SetMeansEnabled(prepared, true);
  return status;
}

}  // namespace ns
