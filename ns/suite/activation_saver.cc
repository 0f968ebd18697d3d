#include "ns/suite/activation_saver.h"

#include <string>
#include <utility>

namespace ns {

void ActivationSaver::Listen(const std::string& layer,
                             const PairComparers& comparers) {
  const bool has_both =
      comparers.activation != nullptr && comparers.shadow != nullptr;
  const auto listen = [&](const PairComparerPtr& comparer, const char* name) {
    if (comparer != nullptr) {
      comparer->AddObserver([this, layer, name, has_both](const at::Tensor& x,
                                                          const at::Tensor& y,
                                                          int64_t call) {
        See(layer, name, x, y, call, has_both);
      });
    }
  };
  listen(comparers.activation, "float");
  listen(comparers.shadow, "shadow");
}

void ActivationSaver::See(const std::string& layer, const char* name,
                          const at::Tensor& x, const at::Tensor& y,
                          int64_t call, bool other_comes) {
  if (!other_comes) {
    Write(layer, call, {{name, x}, {"quantized", y}});
    return;
  }
  const auto key = std::make_pair(layer, call);
  const auto first = waiting_.find(key);
  if (first == waiting_.end()) {
    // Copies: ops that work in place may run before the other one comes.
    waiting_[key] = {{name, x.clone()}, {"quantized", y.clone()}};
    return;
  }
  NamedTensors tensors = std::move(first->second);
  waiting_.erase(first);
  tensors.emplace_back(name, x);
  Write(layer, call, tensors);
}

void ActivationSaver::Write(const std::string& layer, int64_t call,
                            const NamedTensors& tensors) {
  const absl::Status status = files_->Save(layer, batch_, call, tensors);
  if (status_.ok()) {
    status_ = status;
  }
}

absl::Status ActivationSaver::EndBatch() {
  for (const auto& [key, tensors] : waiting_) {
    Write(key.first, key.second, tensors);
  }
  waiting_.clear();
  ++batch_;
  return status_;
}

}  // namespace ns
