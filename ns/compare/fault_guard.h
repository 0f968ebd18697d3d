// Steps around layers that LibTorch computes wrongly, and names them.
#ifndef NS_COMPARE_FAULT_GUARD_H_
#define NS_COMPARE_FAULT_GUARD_H_

#include <optional>
#include <string>
#include <vector>

#include "ns/compare/load_pair.h"
#include "passes/analysis/faulty_layers.h"

namespace ns {

// Looks for such layers in two models. Where one of them is right on one
// thread, ops run on one thread while the guard lives.
class FaultGuard {
 public:
  explicit FaultGuard(const ModelPair& models);
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

  // Returns a warning for each kind of fault, and one of the single thread.
  std::vector<std::string> Warnings() const;

 private:
  // Those of both models, each once.
  std::vector<FaultyLayer> faulty_;
  // The number of threads before; absent where it stayed.
  std::optional<int> threads_;
};

}  // namespace ns

#endif  // NS_COMPARE_FAULT_GUARD_H_
