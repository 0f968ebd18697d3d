// Runs a score of the user's, a scripted module that accumulates over batches.
#ifndef NS_ACCURACY_SCORE_MODULE_H_
#define NS_ACCURACY_SCORE_MODULE_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// A module with the methods
//
//   def update(self, outputs: Tensor, labels: Tensor) -> None
//   def compute(self) -> float
//
// of any types of outputs and labels. update may do without labels. compute may
// also return an int, a bool, or a Tensor of one element. The module runs in
// evaluation mode and without gradients. Its state is that of one model.
class ScoreModule {
 public:
  // Loads the module at `path`. `has_labels` says whether Update will be given
  // labels; an update that takes the outputs alone is then called without them.
  // Errors name the file: it cannot be loaded, it lacks a method, a method has
  // other arguments, or update needs labels and there are none.
  static absl::StatusOr<ScoreModule> Load(const std::string& path,
                                          bool has_labels);

  // Calls update with copies of what a model returned for a batch and of the
  // labels of that batch, which the module may keep or overwrite. Lists and
  // dicts get the declared element types. Error, naming the file: values that
  // are not of the declared types, such as "outputs is a tensor where
  // Dict[str, Tensor] is declared"; update raises.
  absl::Status Update(const c10::IValue& outputs, const c10::IValue& labels);

  // Returns what compute returns, which may be nan. Error, naming the file:
  // compute raises, or returns no number.
  absl::StatusOr<double> Compute();

 private:
  ScoreModule(std::string path, const torch::jit::Module& module,
              bool takes_labels)
      : path_(std::move(path)), module_(module), takes_labels_(takes_labels) {}

  std::string path_;
  torch::jit::Module module_;
  bool takes_labels_;
};

}  // namespace ns

#endif  // NS_ACCURACY_SCORE_MODULE_H_
