#include "ns/accuracy/class_scores.h"

#include <ATen/ATen.h>

#include "ns/batches/output_tensors.h"

namespace ns {

at::Tensor ScoresIn(const c10::IValue& returned) {
  for (const auto& [place, tensor] : OutputTensors(returned)) {
    if (tensor.is_quantized()) {
      return tensor.dequantize();
    }
    if (tensor.is_floating_point()) {
      return tensor;
    }
  }
  return {};
}

bool AreClassScores(const at::Tensor& of_float,
                    const at::Tensor& of_quantized) {
  return of_float.defined() && of_quantized.defined() && of_float.dim() == 2 &&
         of_float.size(1) >= 2 && of_float.sizes() == of_quantized.sizes();
}

}  // namespace ns
