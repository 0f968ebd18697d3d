// What observers of any recipe of a search space would see, from one run.
#ifndef NS_SEARCH_CALIBRATED_VALUES_H_
#define NS_SEARCH_CALIBRATED_VALUES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "llvm/ADT/DenseMap.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/accurate/held_back_batches.h"
#include "ns/search/search_space.h"
#include "passes/quantization/convert/calibrated_value.h"
#include "passes/quantization/observe/observer_plan.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/runtime/observers/observer.h"
#include "passes/runtime/observers/values/input_means.h"

namespace ns {

// Which values a prepared model observes, and which of them share an observer,
// depends on the recipe: the choices for all layers. Here, each value that some
// recipe observes has an observer of its own for each ObserverSpec of the
// candidates, and what an observer of a recipe would see is merged from these.
// Some kinds depend on the order in which they see values (moving averages,
// PyTorch's histogram) and cannot be merged. For them, each group of values
// that share an observer when all layers have one candidate
// (SearchSpace::UniformPlan) has an observer, too. A value is seen as the float
// model has it, as in any prepared model.
//
// Calibrate comes before all other methods but Knows.
class CalibratedValues {
 public:
  // `space` must outlive the object.
  static absl::StatusOr<CalibratedValues> Create(const SearchSpace& space);

  // Runs the float model on all batches. As in CalibrateHoldingBack, means are
  // not gathered of those held back; here these have means of their own. Error:
  // as there.
  absl::Status Calibrate(const BatchReader& batches,
                         const AfterBatch& after_batch = nullptr);

  // Returns what observer `index` of `plan`, one of the search space, would
  // have found. Nothing where it sees something that no observer here has seen.
  absl::StatusOr<std::optional<CalibratedValue>> Answer(
      const ObserverPlan& plan, int index) const;

  // Returns the answer for `value` alone, which is of the graph of the space.
  // Nothing where it was not observed by `spec`.
  std::optional<CalibratedValue> Answer(const torch::jit::Value* value,
                                        const ObserverSpec& spec) const;

  // Whether Answer has something for those observers of `plan`, one of the
  // search space, that depend on the order of values. Not where the values that
  // share one are none of the groups above.
  bool Knows(const ObserverPlan& plan) const;

  // Gives the observers of `prepared`, which PrepareModel has made with
  // `mapping`, what they would have seen. Returns false where only a run tells.
  // Some observers may have been given values even then: prepare the model anew
  // and calibrate it.
  absl::StatusOr<bool> Fill(const QConfigMapping& mapping,
                            ModelGraph& prepared) const;

  // Returns what correcting the bias of the layer called `layer` adds to its
  // output channels when its weight, `weight`, is rounded to `rounded`: by the
  // means of its input over all batches but those held back. Undefined where
  // that does not lower the error on the batches held back, or is not known.
  at::Tensor ShiftOf(const std::string& layer, const at::Tensor& weight,
                     const at::Tensor& rounded) const;

  // Returns how many elements `value` has in a batch, on average; 0 for a value
  // that is not observed.
  double ElementsOf(const torch::jit::Value* value) const;

 private:
  CalibratedValues(const SearchSpace& space, ModelGraph model)
      : space_(&space), model_(std::move(model)) {}

  // Values that share an observer which depends on their order.
  struct Group {
    std::vector<const torch::jit::Value*> values;
    int observer = 0;
  };

  void Add(torch::jit::Value* value, const ObserverSpec& spec);
  void AddGroups(const ObserverPlan& plan);
  void AddValues();
  void AddLayers();
  ObserverPtr Find(const torch::jit::Value* value,
                   const ObserverSpec& spec) const;
  // The observers of the model that saw what observer `index` of `plan` sees;
  // nothing where that is not known.
  std::optional<std::vector<ObserverPtr>> Seeing(const ObserverPlan& plan,
                                                 int index) const;
  // Merges what observer `index` of `plan` sees into `observer`. Returns false
  // where that is not known.
  absl::StatusOr<bool> Gather(const ObserverPlan& plan, int index,
                              Observer& observer) const;

  const SearchSpace* space_;
  // Has an observer for each point of `wide_`.
  ModelGraph model_;
  // Its points are values of the graph of the space.
  ObserverPlan wide_;
  llvm::DenseMap<const torch::jit::Value*, std::vector<int>> observers_of_;
  std::vector<Group> groups_;
  // Of the batches held back, by the attribute of those of the others.
  std::map<std::string, InputMeansPtr> held_back_;
  int64_t batches_ = 0;
};

}  // namespace ns

#endif  // NS_SEARCH_CALIBRATED_VALUES_H_
