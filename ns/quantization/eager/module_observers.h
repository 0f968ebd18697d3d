// Puts observers into a module hierarchy.
#ifndef NS_QUANTIZATION_EAGER_MODULE_OBSERVERS_H_
#define NS_QUANTIZATION_EAGER_MODULE_OBSERVERS_H_

#include <torch/csrc/jit/api/module.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/hierarchy/module_editor.h"
#include "ns/quantization/eager/module_mappings.h"
#include "passes/quantization/convert/calibrated_value.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

// The attribute that holds the observer of a module's output.
inline constexpr char kObserverAttribute[] = "activation_post_process";

// The attribute that holds the fake quantization of a weight that is trained
// (qat_module.h).
inline constexpr char kWeightFakeQuantAttribute[] = "weight_fake_quant";

// Whether an observer keeps the newest batch alone: it then observes what a
// dynamic op is given, its input (reference: activation_is_memoryless).
bool IsMemoryless(const ObserverSpec& spec);

// Makes the module that takes the place of another one.
using ModuleFactory = std::function<absl::StatusOr<torch::jit::Module>(
    const torch::jit::Module& module)>;

struct AddObserversOptions {
  // The types of the leaf modules that are observed.
  std::vector<std::string> observed_types = GetDefaultQConfigPropagationList();
  // Types of modules that are observed although they have others inside.
  std::vector<std::string> non_leaf_types;
  // By type, what makes the module that is observed in the place of a user's
  // own one (float_to_observed_custom_module_class).
  std::map<std::string, ModuleFactory> custom_modules;
};

// Gives the modules of the listed types that have a qconfig
// (module_qconfig.h) an observer of their output, their attribute
// `activation_post_process`, which `forward` calls (reference: add_observer_).
// Modules inside a fused one are not observed. LSTMs and MultiheadAttentions
// are taken apart, and their parts observed (decompose_layers.h). A
// FloatFunctional's methods call it instead of the Identity that they call
// there. The observer of a qconfig that keeps the newest batch alone sees the
// input. Sigmoid, Hardsigmoid, Softmax and Tanh in training get a FakeQuantize
// of their fixed range. These four, fused modules and FloatFunctionals need not
// be listed.
//
// Error: parameters on several devices; or, naming the path, a module that
// returns no single tensor, a QuantStub that was traced, an LSTM or
// MultiheadAttention that was not scripted, or an observer that cannot be made.
absl::Status AddObservers(ModuleEditor& editor,
                          const AddObserversOptions& options = {});

// What AskModule returns.
struct ObservedOutput {
  CalibratedValue value;
  // False for an observer that has seen no value. `value` then has the scale 1
  // and the zero point 0, as in PyTorch. Always true for an observer of fixed
  // parameters, which needs no values.
  bool has_seen = true;
  // Whether the code of the module calls the observer; that of FloatFunctionals
  // which only scale by numbers does not.
  bool is_called = true;
};

// Returns what the observer of `module` has found. That it has seen no value is
// no error, though `value.status` is not OK then. Error: no observer, or values
// that cannot be quantized.
absl::StatusOr<ObservedOutput> AskModule(const torch::jit::Module& module);

// Takes all observers out again.
absl::Status RemoveObservers(ModuleEditor& editor);

// Observers and fake quantizations, with their paths.
using ObserverDict = std::vector<std::pair<std::string, c10::IValue>>;

// Returns the observers and fake quantizations of `module` and of all modules
// below, in the order of the modules, with their paths after `prefix`:
// "fc.activation_post_process" (reference: get_observer_dict). Those of weights
// are left out. The observer of a fake quantization comes after it, as
// "fc.activation_post_process.activation_post_process".
ObserverDict GetObserverDict(const torch::jit::Module& module,
                             absl::string_view prefix = "");

}  // namespace ns

#endif  // NS_QUANTIZATION_EAGER_MODULE_OBSERVERS_H_
