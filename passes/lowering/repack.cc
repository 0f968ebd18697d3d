#include "passes/lowering/repack.h"

#include <ATen/native/quantized/PackedParams.h>

#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "passes/analysis/packed_weights.h"
#include "passes/runtime/fbgemm_ops/fbgemm_conv.h"
#include "passes/runtime/fbgemm_ops/fbgemm_embedding.h"
#include "passes/runtime/fbgemm_ops/fbgemm_linear.h"

namespace ns {
namespace {

at::Tensor Bias(const c10::optional<at::Tensor>& bias) {
  return bias && bias->defined() ? bias->detach().to(at::kFloat) : at::Tensor();
}

// Drops the first of two numbers, the one for the height, when `is_1d`:
// LibTorch packs a conv1d as a conv2d of height 1.
std::vector<int64_t> Numbers(std::vector<int64_t> numbers, bool is_1d) {
  if (is_1d && numbers.size() == 2) {
    numbers.erase(numbers.begin());
  }
  return numbers;
}

template <int kDimensions>
FbgemmConvParameters Unpack(const c10::IValue& packed, bool is_1d) {
  const auto params = packed.toCustomClass<ConvPackedParamsBase<kDimensions>>();
  FbgemmConvParameters p;
  p.bias = Bias(std::get<1>(params->unpack()));
  p.stride = Numbers(params->stride().vec(), is_1d);
  p.padding = Numbers(params->padding().vec(), is_1d);
  p.dilation = Numbers(params->dilation().vec(), is_1d);
  p.groups = params->groups();
  p.transposed = params->transpose();
  if (p.transposed) {
    p.output_padding = Numbers(params->output_padding().vec(), is_1d);
  }
  return p;
}

}  // namespace

absl::StatusOr<c10::IValue> Repacker::Once(
    const c10::IValue& packed,
    absl::FunctionRef<absl::StatusOr<c10::IValue>()> repack) {
  if (!packed.isObject()) {
    return absl::InvalidArgumentError("it is no object");
  }
  const void* key = &packed.toObjectRef();
  const auto found = cache_.find(key);
  if (found != cache_.end()) {
    return found->second.to;
  }
  NS_ASSIGN_OR_RETURN(c10::IValue to, CatchTorchErrors(repack));
  cache_[key] = {packed, to};
  return to;
}

absl::StatusOr<c10::IValue> Repacker::Linear(const c10::IValue& packed) {
  return Once(packed, [&] {
    auto [weight, bias] =
        packed.toCustomClass<LinearPackedParamsBase>()->unpack();
    return c10::IValue(c10::make_intrusive<FbgemmLinear>(
        std::move(weight), Bias(bias), numerics_));
  });
}

absl::StatusOr<c10::IValue> Repacker::Conv(const c10::IValue& packed,
                                           bool is_1d) {
  return Once(packed, [&]() -> absl::StatusOr<c10::IValue> {
    NS_ASSIGN_OR_RETURN(at::Tensor weight, PackedConvWeight(packed, is_1d));
    FbgemmConvParameters p =
        weight.dim() == 5 ? Unpack<3>(packed, is_1d) : Unpack<2>(packed, is_1d);
    p.weight = std::move(weight);
    return c10::IValue(
        c10::make_intrusive<FbgemmConv>(std::move(p), numerics_));
  });
}

absl::StatusOr<c10::IValue> Repacker::Embedding(const c10::IValue& packed) {
  return Once(packed, [&]() -> absl::StatusOr<c10::IValue> {
    NS_ASSIGN_OR_RETURN(at::Tensor table, PackedEmbeddingWeight(packed));
    return c10::IValue(c10::make_intrusive<FbgemmEmbedding>(std::move(table)));
  });
}

}  // namespace ns
