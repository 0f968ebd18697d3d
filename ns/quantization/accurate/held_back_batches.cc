#include "ns/quantization/accurate/held_back_batches.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
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

// Runs batches `numbers`, before which `before` batches were run.
absl::Status Run(Calibrator& calibrator, const BatchReader& batches,
                 absl::Span<const int64_t> numbers, size_t before,
                 const AfterBatch& after_batch) {
  return calibrator.Run(batches, numbers, [&](size_t done) {
    if (after_batch) {
      after_batch(static_cast<int64_t>(before + done));
    }
  });
}

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

BatchSplit SplitBatches(int64_t batches) {
  const std::vector<int64_t> all = FirstBatches(batches);
  BatchSplit split;
  split.held_back = SpreadEvenly(all, HeldBackBatches(batches));
  std::set_difference(all.begin(), all.end(), split.held_back.begin(),
                      split.held_back.end(), std::back_inserter(split.learned));
  return split;
}

std::vector<int64_t> SpreadEvenly(absl::Span<const int64_t> numbers,
                                  int64_t count) {
  const auto size = static_cast<int64_t>(numbers.size());
  const int64_t parts = std::min(count, size);
  std::vector<int64_t> spread;
  for (int64_t part = 1; part <= parts; ++part) {
    // The last one of each part.
    spread.push_back(numbers[static_cast<size_t>(part * size / parts - 1)]);
  }
  return spread;
}

absl::Status CalibrateInTwoParts(const ModelGraph& prepared,
                                 const BatchReader& batches,
                                 const std::function<void()>& before_held_back,
                                 const AfterBatch& after_batch) {
  NS_ASSIGN_OR_RETURN(Calibrator calibrator, Calibrator::Create(prepared));
  const BatchSplit split = SplitBatches(batches.size());
  NS_RETURN_IF_ERROR(Run(calibrator, batches, split.learned, 0, after_batch));
  before_held_back();
  return Run(calibrator, batches, split.held_back, split.learned.size(),
             after_batch);
}

absl::Status CalibrateHoldingBack(const ModelGraph& prepared,
                                  const BatchReader& batches,
                                  const AfterBatch& after_batch) {
  if (AttachedMeans(prepared.module()).empty()) {
    NS_ASSIGN_OR_RETURN(Calibrator calibrator, Calibrator::Create(prepared));
    return Run(calibrator, batches, FirstBatches(batches.size()), 0,
               after_batch);
  }
  const absl::Status status = CalibrateInTwoParts(
      prepared, batches, [&] { SetMeansEnabled(prepared, false); },
      after_batch);
  SetMeansEnabled(prepared, true);
  return status;
}

}  // namespace ns
