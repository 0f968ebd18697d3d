#include "ns/quantization/accurate/layer_trials.h"

#include <limits>

#include "ir/base/refusal.h"
#include "ir/base/status.h"
#include "ns/quantization/model/calibrator.h"
#include "passes/instrument/pair/attached_comparer.h"
#include "passes/quantization/observe/strip_observers.h"
#include "passes/runtime/loggers/pair_comparer.h"

namespace ns {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double SqnrOf(const PairComparerPtr& comparer) {
  if (comparer == nullptr || comparer->record().batches.empty()) {
    return kUnknown;
  }
  return comparer->record().batches.front().SqnrDb();
}

}  // namespace

absl::StatusOr<std::vector<double>> MeasureLayerTrials(
    const ModelGraph& prepared, absl::Span<const Batch> batches,
    absl::Span<const LayerTrial> trials) {
  NS_ASSIGN_OR_RETURN(ModelGraph model, prepared.Clone());
  NS_ASSIGN_OR_RETURN(const auto layers, StripObservers(model));
  PairComparerOptions options;
  options.by_batch = false;
  options.codes = false;
  int attached = 0;
  std::vector<AttachedComparer> comparers;
  TrialInserter inserter(model, layers);
  for (const LayerTrial& trial : trials) {
    comparers.emplace_back(options, attached);
    const absl::Status status = inserter.Insert(trial, comparers.back());
    if (!status.ok() && !IsRefusal(status)) {
      return status;
    }
  }
  NS_ASSIGN_OR_RETURN(Calibrator runner, Calibrator::Create(model));
  for (size_t i = 0; i < batches.size(); ++i) {
    NS_RETURN_IF_ERROR(runner.Run(batches[i], static_cast<int64_t>(i)));
    for (const AttachedComparer& comparer : comparers) {
      if (const PairComparerPtr object = comparer.object()) {
        object->EndBatch();
      }
    }
  }
  std::vector<double> sqnr_db;
  for (const AttachedComparer& comparer : comparers) {
    sqnr_db.push_back(SqnrOf(comparer.object()));
  }
  return sqnr_db;
}

}  // namespace ns
