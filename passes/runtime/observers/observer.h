// The interface of everything that watches values to find scales and zero
// points for them.
#ifndef PASSES_RUNTIME_OBSERVERS_OBSERVER_H_
#define PASSES_RUNTIME_OBSERVERS_OBSERVER_H_

#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/tensor_qparams.h"
#include "passes/runtime/observers/values/value_range.h"

namespace ns {

// What an observer knows, as named tensors. Where PyTorch's observer has a
// buffer for it, the name is that of the buffer.
using ObserverState = std::map<std::string, at::Tensor>;

// What was seen of tensors besides their values: it tells whether a quantized
// op can take them.
struct SeenTensors {
  // The least number of dimensions; -1 before any tensor.
  int64_t least_rank = -1;
  // Whether one held integers or booleans, such as indices and masks.
  bool has_integers = false;
  // Whether one held floats other than float32, or complex numbers: quantize
  // ops do not take them.
  bool has_other_floats = false;
  // How many values they had in all, nan and inf among them.
  int64_t values = 0;
  // The greatest number of dimensions; -1 before any tensor.
  int64_t greatest_rank = -1;
  // Whether one had four or five dimensions, of which all but the first two had
  // a size of 1.
  bool has_single_pixels = false;
};

// Watches a value of a model as it runs. MakeObserver (make_observer.h) makes
// one of any kind but kScripted. Graphs call it as torch.classes.ns.Observer,
// with the methods `forward`, `hand_on` (returns its input and observes
// nothing), `calculate_qparams`, `reset_min_max_vals`, `merge`, `state`,
// `options`, `nan_count`, `inf_count` and `get_tensor_value`. It is saved and
// loaded with its module. Errors are c10::Error with a message of one line.
class Observer : public torch::CustomClassHolder {
 public:
  explicit Observer(ObserverConfig config) : config_(std::move(config)) {}

  const ObserverConfig& config() const { return config_; }

  // Observes the values of `x`, and returns `x`. They may be floats, integers
  // or booleans; complex numbers are in seen() alone. An undefined, empty,
  // nested or sparse tensor changes nothing. Throws for a tensor that is
  // quantized already. An observer for each channel also throws for a tensor
  // without the dimension ch_axis, or with another number of channels than
  // before.
  at::Tensor Forward(const at::Tensor& x);

  // Returns the scale and zero point for what was seen. Throws for kinds that
  // find none and, in compat mode (ObserverConfig::compat), for a range with
  // nan.
  virtual TensorQParams CalculateQParams() const = 0;

  // Forgets what was seen.
  void Reset();

  // Adds what `other` has seen, as if it came after what this one has seen. For
  // PyTorch's histograms, the result is not exactly that of seeing the same
  // tensors. Throws if `other` has another config or another number of
  // channels.
  void Merge(const Observer& other);

  // How many nan, and how many infinite values were seen; 0 for kinds that do
  // not count them. They have no effect on the scale and zero point, except in
  // compat mode.
  virtual int64_t NanCount() const { return 0; }
  virtual int64_t InfCount() const { return 0; }

  // The range of the finite values that were seen; empty before any, and for
  // kinds that do not know it: averages, and ranges of channels.
  virtual Interval SeenRange() const { return {}; }

  const SeenTensors& seen() const { return seen_; }
  // Adds `x` to seen(), but does not observe its values. For code that passes
  // the values on in another way than Forward.
  void Note(const at::Tensor& x);

  // For saving and loading. SeenTensors are not part of the state; they are
  // restored with SetSeen. SetState throws for a state that does not fit. Kinds
  // that have no state ignore it.
  virtual ObserverState State() const = 0;
  virtual void SetState(const ObserverState& state) = 0;
  void SetSeen(const SeenTensors& seen) { seen_ = seen; }

 protected:
  // `x` is not empty, does not require gradients, and has real values.
  virtual void Observe(const at::Tensor& x) = 0;
  // Forgets the values that were observed. Reset clears seen() itself.
  virtual void Clear() = 0;
  // `other` is of this kind, with the same config.
  virtual void MergeSame(const Observer& other) = 0;

  // The name of this observer in messages: "observer 'mse'".
  std::string Name() const;
  // Returns the tensor called `name` in `state`; throws if there is none.
  const at::Tensor& Entry(const ObserverState& state,
                          const std::string& name) const;

 private:
  void Join(const SeenTensors& seen);

  ObserverConfig config_;
  SeenTensors seen_;
};

using ObserverPtr = c10::intrusive_ptr<Observer>;

// Returns the values of `x` as float32, in memory without gaps. Their order
// depends on the memory layout of `x`: use this only where the order of the
// values does not matter. May share the memory of `x`.
at::Tensor FloatsOf(const at::Tensor& x);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_OBSERVER_H_
