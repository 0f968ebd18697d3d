#include "passes/runtime/copy_together.h"

#include <ATen/Functions.h>
#include <torch/library.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "passes/runtime/is_dense.h"

namespace ns {
namespace {

// Elements of a storage, from `begin` up to, but without, `end`.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;
};

Range RangeOf(const at::Tensor& tensor) {
  Range range = {tensor.storage_offset(), tensor.storage_offset() + 1};
  for (int64_t i = 0; i < tensor.dim(); ++i) {
    range.end += (tensor.size(i) - 1) * tensor.stride(i);
  }
  return range;
}

bool HasElementsInMemory(const at::Tensor& tensor) {
  return IsDense(tensor) && tensor.numel() > 0;
}

// Whether the elements of both are of one kind, in one storage.
bool ShareMemory(const at::Tensor& a, const at::Tensor& b) {
  return HasElementsInMemory(a) && HasElementsInMemory(b) &&
         a.scalar_type() == b.scalar_type() && a.is_alias_of(b);
}

class Copier {
 public:
  explicit Copier(const std::vector<at::Tensor>& tensors)
      : tensors_(tensors), copies_(tensors.size()) {}

  std::vector<at::Tensor> Run() {
    for (size_t i = 0; i < tensors_.size(); ++i) {
      if (!copies_[i].defined()) {
        CopyGroupOf(i);
      }
    }
    return std::move(copies_);
  }

 private:
  // Copies tensor `first` and those behind it that share its memory.
  void CopyGroupOf(size_t first) {
    const at::Tensor& tensor = tensors_[first];
    std::vector<size_t> group = {first};
    for (size_t i = first + 1; i < tensors_.size(); ++i) {
      if (ShareMemory(tensor, tensors_[i])) {
        group.push_back(i);
      }
    }
    if (group.size() == 1) {
      copies_[first] = tensor.clone();
      return;
    }
    Range all = RangeOf(tensor);
    for (const size_t i : group) {
      const Range range = RangeOf(tensors_[i]);
      all = {std::min(all.begin, range.begin), std::max(all.end, range.end)};
    }
    const at::Tensor memory =
        tensor.detach()
            .as_strided({all.end - all.begin}, {1}, all.begin)
            .clone();
    for (const size_t i : group) {
      copies_[i] = memory.as_strided(tensors_[i].sizes(), tensors_[i].strides(),
                                     tensors_[i].storage_offset() - all.begin);
    }
  }

  const std::vector<at::Tensor>& tensors_;
  std::vector<at::Tensor> copies_;
};

}  // namespace

std::vector<at::Tensor> CopyTogether(const std::vector<at::Tensor>& tensors) {
  return Copier(tensors).Run();
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  library.def("copy_together(Tensor[] tensors) -> Tensor[]", CopyTogether);
}

}  // namespace ns
