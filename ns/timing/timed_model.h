// Measures how long the nodes of a model take.
#ifndef NS_TIMING_TIMED_MODEL_H_
#define NS_TIMING_TIMED_MODEL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/model/model_graph.h"
#include "ns/batches/batch.h"
#include "passes/instrument/insert_timers.h"

namespace ns {

// A model with a stopwatch in it. Run it several times: the least time of each
// slot counts, since everything else that the machine does only adds to it.
class TimedModel {
 public:
  // Times the nodes of `model`, each in one of `slots` slots. Messages call it
  // "the <name> model". Error: that of InsertTimers.
  static absl::StatusOr<TimedModel> Create(absl::string_view name,
                                           ModelGraph model, size_t slots,
                                           SlotOfNode slot_of);

  // Runs the model once, from the state that it had at first. Error: a batch
  // that does not fit.
  absl::Status Run(const Batch& batch);

  // Returns the least time of each slot in all runs, in microseconds; infinite
  // before the first.
  const std::vector<double>& microseconds() const { return least_; }

 private:
  TimedModel(absl::string_view name, ModelGraph model, LapTimerPtr timer,
             size_t slots);

  std::string name_;
  ModelGraph model_;
  LapTimerPtr timer_;
  std::vector<double> least_;
};

}  // namespace ns

#endif  // NS_TIMING_TIMED_MODEL_H_
