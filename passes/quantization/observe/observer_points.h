// The values of a graph that are observed, and which observers they share.
#ifndef PASSES_QUANTIZATION_OBSERVE_OBSERVER_POINTS_H_
#define PASSES_QUANTIZATION_OBSERVE_OBSERVER_POINTS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "passes/quantization/layers/int8_operands.h"
#include "passes/quantization/observe/shared_observers.h"
#include "passes/quantization/qconfig/qconfig.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// A value that is observed, and quantized later.
struct ObservedPoint {
  torch::jit::Value* value = nullptr;
  // The observer that sees it.
  int observer = 0;
  // The nodes, or nodes around nodes, that use the quantized value: those that
  // run in int8. Empty for the output of a subgraph: all users do.
  std::vector<torch::jit::Node*> users;
  // False where the value only gets the qparams that the observer finds for
  // others: what the clamp behind it gives, what the pool in front of it takes,
  // what the arms of a prim::If give.
  bool is_seen = true;
};

// Collects points in order of execution.
class ObserverPoints {
 public:
  // Returns the observer of a value that is quantized where it is made; nothing
  // for a float value.
  std::optional<int> ObserverOf(const torch::jit::Value* value) const;

  // Returns the observer of an operand that a subgraph takes in int8. That is
  // ObserverOf the value, if there is one. For a float value, it is the
  // observer of the point that the value has for `spec`, to whose users the
  // operand's is added; without such a point, one is made.
  int AddInput(const Int8Operand& operand, const ObserverSpec& spec);

  // Says that `value` is quantized where it is made, by `observer`.
  void AddOutput(torch::jit::Value* value, int observer, bool is_seen);

  // Says that `value` holds values that `observer` sees already, as the output
  // of a reshape does: it is quantized, without a point of its own.
  void Carry(const torch::jit::Value* value, int observer) {
    observers_of_[value] = observer;
  }

  // Says that `value` is one of the values that the observers `sources`, at
  // least one, see, as the output of a prim::If is: makes them one, and `value`
  // an output of it that it does not see. Where one cannot be joined with the
  // first (SharedObservers::Unify), `value` stays float; those before it in
  // `sources` stay joined.
  void Join(const std::vector<int>& sources, torch::jit::Value* value);

  // Makes the observers of all points of `value` one with `observer`, but those
  // that SharedObservers::Unify refuses.
  void UnifyPointsOf(const torch::jit::Value* value, int observer);

  // Whether one observer may see all operands: none of those that are quantized
  // already has fixed qparams that the others have not.
  bool CanJoin(const std::vector<Int8Operand>& operands) const;

  SharedObservers& observers() { return observers_; }

  // Returns all points, each with the observer that stands for all those it was
  // joined with (SharedObservers::Find). Call it once, at the end.
  std::vector<ObservedPoint> Take();

 private:
  void Add(ObservedPoint point);

  SharedObservers observers_;
  std::vector<ObservedPoint> points_;
  // The indices of the points of a value.
  llvm::DenseMap<const torch::jit::Value*, std::vector<size_t>> indices_;
  // The observers of values that are quantized where they are made.
  llvm::DenseMap<const torch::jit::Value*, int> observers_of_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_OBSERVER_POINTS_H_
