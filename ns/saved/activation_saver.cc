#include "ns/saved/activation_saver.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace ns {

void ActivationSaver::Listen(const std::string& layer,
                             const PairComparers& comparers) {
  struct Source {
    PairComparerPtr comparer;
    const char* x_name;
    std::string suffix;
  };
  std::vector<Source> sources;
  const auto add = [&](const PairComparerPtr& comparer, const char* x_name,
                       const std::string& suffix) {
    if (comparer != nullptr) {
      sources.push_back({comparer, x_name, suffix});
    }
  };
  add(comparers.activation, "float", "");
  add(comparers.shadow, "shadow", "");
  for (const OtherOutputComparers& other : comparers.others) {
    add(other.activation, "float", absl::StrCat("_", other.name));
    add(other.shadow, "shadow", absl::StrCat("_", other.name));
  }
  for (const Source& source : sources) {
    source.comparer->AddObserver(
        [this, layer, x_name = source.x_name + source.suffix,
         y_name = "quantized" + source.suffix, count = sources.size()](
            const at::Tensor& x, const at::Tensor& y, int64_t call) {
          See(layer, x_name, y_name, x, y, call, count);
        });
  }
}

void ActivationSaver::See(const std::string& layer, const std::string& x_name,
                          const std::string& y_name, const at::Tensor& x,
                          const at::Tensor& y, int64_t call, size_t comparers) {
  Call& of_call = waiting_[{layer, call}];
  const bool is_last = ++of_call.seen == comparers;
  // Copies: ops that work in place may run before the others come.
  const auto add = [&](const std::string& name, const at::Tensor& tensor) {
    of_call.tensors.emplace_back(name, is_last ? tensor : tensor.clone());
  };
  const bool has_y = absl::c_any_of(of_call.tensors, [&](const auto& named) {
    return named.first == y_name;
  });
  add(x_name, x);
  if (!has_y) {
    add(y_name, y);
  }
  if (is_last) {
    const NamedTensors tensors = std::move(of_call.tensors);
    waiting_.erase({layer, call});
    Write(layer, call, tensors);
  }
}

void ActivationSaver::Write(const std::string& layer, int64_t call,
                            const NamedTensors& tensors) {
  const absl::Status status = files_->Save(layer, batch_, call, tensors);
  if (status_.ok()) {
    status_ = status;
  }
}

absl::Status ActivationSaver::EndBatch() {
  for (const auto& [key, of_call] : waiting_) {
    Write(key.first, key.second, of_call.tensors);
  }
  waiting_.clear();
  ++batch_;
  return status_;
}

}  // namespace ns
