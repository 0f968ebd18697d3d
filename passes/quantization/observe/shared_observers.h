// Joins observers of values that need the same scale and zero point.
#ifndef PASSES_QUANTIZATION_OBSERVE_SHARED_OBSERVERS_H_
#define PASSES_QUANTIZATION_OBSERVE_SHARED_OBSERVERS_H_

#include <vector>

#include "passes/quantization/qconfig/qconfig.h"

namespace ns {

// A union-find structure over the indices that Add returns.
class SharedObservers {
 public:
  // Returns the index of a new observer.
  int Add(const ObserverSpec& spec);

  // Makes `a` and `b` one, with the spec of `a`. Returns false, and leaves both
  // as they are, when they differ and one of them has fixed qparams: an op
  // gives its output these and no others.
  bool Unify(int a, int b);

  // Returns the index that stands for all that `index` was joined with.
  int Find(int index) const;

  const ObserverSpec& SpecOf(int index) const { return specs_[Find(index)]; }

  // By index. Those that another index stands for are not used.
  const std::vector<ObserverSpec>& specs() const { return specs_; }

 private:
  std::vector<ObserverSpec> specs_;
  std::vector<int> parents_;
};

}  // namespace ns

#endif  // PASSES_QUANTIZATION_OBSERVE_SHARED_OBSERVERS_H_
