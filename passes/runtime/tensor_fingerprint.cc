#include "passes/runtime/tensor_fingerprint.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/xxhash.h"

namespace ns {
namespace {

// Chains hashes: each one goes into the next.
class Chain {
 public:
  explicit Chain(uint64_t seed) : hash_(seed) {}

  void Add(const void* data, size_t bytes) {
    const uint64_t parts[] = {
        hash_,
        llvm::xxHash64(llvm::StringRef(static_cast<const char*>(data), bytes))};
    hash_ = llvm::xxHash64(
        llvm::StringRef(reinterpret_cast<const char*>(parts), sizeof(parts)));
  }

  template <typename T>
  void Add(const T& value) {
    Add(&value, sizeof(value));
  }

  void AddElements(const at::Tensor& tensor) {
    const at::Tensor elements = tensor.detach().cpu().contiguous();
    Add(elements.data_ptr(), elements.nbytes());
  }

  uint64_t hash() const { return hash_; }

 private:
  uint64_t hash_;
};

}  // namespace

uint64_t TensorFingerprint(const at::Tensor& tensor, uint64_t seed) {
  Chain chain(seed);
  const std::string dtype = c10::toString(tensor.scalar_type());
  chain.Add(dtype.data(), dtype.size());
  chain.Add(tensor.sizes().data(), tensor.sizes().size() * sizeof(int64_t));
  if (tensor.is_quantized()) {
    switch (tensor.qscheme()) {
      case at::kPerTensorAffine:
      case at::kPerTensorSymmetric:
        chain.Add(tensor.q_scale());
        chain.Add(tensor.q_zero_point());
        break;
      default:
        chain.AddElements(tensor.q_per_channel_scales());
        chain.AddElements(tensor.q_per_channel_zero_points());
        chain.Add(tensor.q_per_channel_axis());
        break;
    }
    chain.AddElements(tensor.int_repr());
  } else {
    chain.AddElements(tensor);
  }
  return chain.hash();
}

}  // namespace ns
