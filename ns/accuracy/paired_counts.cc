#include "ns/accuracy/paired_counts.h"

#include <ATen/ATen.h>

namespace ns {
namespace {

int64_t Count(const at::Tensor& is) { return is.sum().item<int64_t>(); }

}  // namespace

void PairedCounts::Add(const at::Tensor& float_is_right,
                       const at::Tensor& quantized_is_right) {
  samples += float_is_right.numel();
  float_correct += Count(float_is_right);
  quantized_correct += Count(quantized_is_right);
  lost += Count(float_is_right.logical_and(~quantized_is_right));
  won += Count(quantized_is_right.logical_and(~float_is_right));
}

}  // namespace ns
