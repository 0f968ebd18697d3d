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

namespace ns {

// What an observer knows, as named tensors: those that PyTorch's has as buffers
// are called as there.
using ObserverState = std::map<std::string, at::Tensor>;

// What was seen of tensors besides their values: it tells whether a quantized
// op can take them.
struct SeenTensors {
  // The least number of dimensions; -1 before any tensor.
  int64_t least_rank = -1;
  // Whether one held integers or booleans, such as indices and masks.
  bool has_integers = false;
  // Whether one held floats that quantize ops do not take: all but float32.
  bool has_other_floats = false;
  // How many values they had.
  int64_t values = 0;
  // The greatest number of dimensions; -1 before any tensor.
  int64_t greatest_rank = -1;
};

// Watches a value of a model as it runs. MakeObserver (make_observer.h) makes
// one of any kind; graphs call it as torch.classes.ns.Observer, with methods
// `forward`, `hand_on` (returns its input, unseen), `calculate_qparams`,
// `reset_min_max_vals`, `merge`, `state`, `options`, `nan_count`, `inf_count`
// and `get_tensor_value`. It saves and loads with its module. Methods throw
// c10::Error with one line.
class Observer : public torch::CustomClassHolder {
 public:
  explicit Observer(ObserverConfig config) : config_(std::move(config)) {}

  const ObserverConfig& config() const { return config_; }

  // Takes in the values of `x`, of any dtype that has real values, and returns
  // it. An empty tensor has none. Throws for a tensor that has no channels and
  // for one that is quantized already.
  at::Tensor Forward(const at::Tensor& x);

  // The parameters for what was seen. Throws for kinds that have none, and in
  // compat mode for ranges with nan.
  virtual TensorQParams CalculateQParams() const = 0;

  // Forgets what was seen.
  void Reset();

  // Takes in what `other` has seen, as if it had seen it afterwards itself.
  // Throws when `other` has another config.
  void Merge(const Observer& other);

  // How many nan, and how many infinite values there were in what was seen.
  // They do not count otherwise, but in compat mode.
  virtual int64_t NanCount() const { return 0; }
  virtual int64_t InfCount() const { return 0; }

  const SeenTensors& seen() const { return seen_; }
  // Notes what `x` is besides its values, as Forward does: for code that takes
  // the values in without it.
  void Note(const at::Tensor& x);

  // For saving and loading. SetState throws for what State cannot have given.
  virtual ObserverState State() const = 0;
  virtual void SetState(const ObserverState& state) = 0;
  void SetSeen(const SeenTensors& seen) { seen_ = seen; }

 protected:
  // `x` is not empty, does not require gradients, and has real values.
  virtual void Observe(const at::Tensor& x) = 0;
  // Forgets the values.
  virtual void Clear() = 0;
  // `other` is of this kind, with the same config.
  virtual void MergeSame(const Observer& other) = 0;

  // What messages call it: "observer 'mse'".
  std::string Name() const;
  // The entry of `state`; throws where there is none.
  const at::Tensor& Entry(const ObserverState& state,
                          const std::string& name) const;

 private:
  void Join(const SeenTensors& seen);

  ObserverConfig config_;
  SeenTensors seen_;
};

using ObserverPtr = c10::intrusive_ptr<Observer>;

// The values of `x` as float32, one behind the other, in the order that they
// have in memory where that has no gaps.
at::Tensor FloatsOf(const at::Tensor& x);

}  // namespace ns

#endif  // PASSES_RUNTIME_OBSERVERS_OBSERVER_H_
