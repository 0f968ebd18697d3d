// Activations on quantized values. Those that keep the qparams of their input
// clamp its quantized values; the others look each quantized value up in a
// table of 256.
#include <ATen/core/Scalar.h>
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <cmath>

#include "absl/functional/function_ref.h"
#include "passes/kernels/elementwise/activations.h"
#include "passes/kernels/elementwise/clamp.h"
#include "passes/kernels/elementwise/look_up.h"
#include "passes/runtime/fbgemm_ops/quantized_data.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"

namespace ns {
namespace {

at::Tensor ClampTo(const char* op, const at::Tensor& x, uint8_t min,
                   uint8_t max) {
  CheckQuantized(x, op);
  const at::Tensor dense = Dense(x);
  at::Tensor out = EmptyQuantizedLike(dense, x.q_scale(), x.q_zero_point());
  kernels::ClampValues(QuantizedDataOf(dense), out.numel(), min, max,
                       MutableQuantizedDataOf(out), TorchParallel);
  return out;
}

at::Tensor ReluOp(const at::Tensor& x) {
  CheckQuantized(x, "fbgemm_relu");
  return ClampTo("fbgemm_relu", x, static_cast<uint8_t>(x.q_zero_point()), 255);
}

at::Tensor ClampOp(const at::Tensor& x, const c10::optional<at::Scalar>& min,
                   const c10::optional<at::Scalar>& max) {
  CheckQuantized(x, "fbgemm_clamp");
  const kernels::QParams qparams = QParamsOf(x);
  return ClampTo("fbgemm_clamp", x,
                 min ? QuantizedValueOf(min->to<float>(), qparams) : 0,
                 max ? QuantizedValueOf(max->to<float>(), qparams) : 255);
}

// An op of LibTorch's on quantized values, which reads them with kFma.
at::Tensor LookUp(
    const char* op, const at::Tensor& x, double scale, int64_t zero_point,
    absl::FunctionRef<float(float)> function,
    kernels::DequantizeFormula reading = kernels::DequantizeFormula::kFma) {
  CheckQuantized(x, op);
  CheckQParams(scale, zero_point, op);
  const at::Tensor dense = Dense(x);
  at::Tensor out = EmptyQuantizedLike(dense, scale, zero_point);
  const kernels::LookUpTable table =
      kernels::MakeTable(function, QParamsOf(x), QParamsOf(out), reading);
  kernels::LookUp(QuantizedDataOf(dense), out.numel(), table,
                  MutableQuantizedDataOf(out), TorchParallel);
  return out;
}

// An op that LibTorch has for floats only: quantized values are dequantized for
// it.
at::Tensor LookUpInFloat(const char* op, const at::Tensor& x, double scale,
                         int64_t zero_point,
                         absl::FunctionRef<float(float)> function) {
  return LookUp(op, x, scale, zero_point, function,
                kernels::DequantizeFormula::kSubtract);
}

at::Tensor SigmoidOp(const at::Tensor& x, double scale, int64_t zero_point) {
  return LookUp("fbgemm_sigmoid", x, scale, zero_point, kernels::Sigmoid);
}

at::Tensor TanhOp(const at::Tensor& x, double scale, int64_t zero_point) {
  return LookUp("fbgemm_tanh", x, scale, zero_point, kernels::Tanh);
}

at::Tensor HardSigmoidOp(const at::Tensor& x, double scale,
                         int64_t zero_point) {
  return LookUp("fbgemm_hardsigmoid", x, scale, zero_point,
                kernels::HardSigmoid);
}

at::Tensor HardSwishOp(const at::Tensor& x, double scale, int64_t zero_point) {
  return LookUp("fbgemm_hardswish", x, scale, zero_point, kernels::HardSwish);
}

// `inplace` is quantized::leaky_relu's, which does not heed it.
at::Tensor LeakyReluOp(const at::Tensor& x, const at::Scalar& negative_slope,
                       bool /*inplace*/, double scale, int64_t zero_point) {
  const float slope = negative_slope.to<float>();
  return LookUp("fbgemm_leaky_relu", x, scale, zero_point,
                [slope](float v) { return kernels::LeakyRelu(v, slope); });
}

at::Tensor EluOp(const at::Tensor& x, double output_scale,
                 int64_t output_zero_point, const at::Scalar& alpha,
                 const at::Scalar& scale, const at::Scalar& input_scale) {
  const kernels::EluParams params = {alpha.to<float>(), scale.to<float>(),
                                     input_scale.to<float>()};
  // Contiguous, as LibTorch's.
  return LookUp("fbgemm_elu", x.contiguous(), output_scale, output_zero_point,
                [&](float v) { return kernels::Elu(v, params); });
}

at::Tensor CeluOp(const at::Tensor& x, double output_scale,
                  int64_t output_zero_point, const at::Scalar& alpha) {
  const auto inverse = static_cast<float>(1.0 / alpha.to<double>());
  TORCH_CHECK(!std::isinf(inverse), "fbgemm_celu: alpha is ",
              alpha.to<double>(), ", and 1 / alpha must be finite");
  const kernels::EluParams params = {alpha.to<float>(), 1.0f, inverse};
  return LookUp("fbgemm_celu", x.contiguous(), output_scale, output_zero_point,
                [&](float v) { return kernels::Elu(v, params); });
}

at::Tensor SeluOp(const at::Tensor& x, double output_scale,
                  int64_t output_zero_point) {
  // at::selu's.
  const kernels::EluParams params = {1.6732632423543772f, 1.0507009873554805f,
                                     1.0f};
  return LookUpInFloat("fbgemm_selu", x, output_scale, output_zero_point,
                       [&](float v) { return kernels::Elu(v, params); });
}

at::Tensor SiluOp(const at::Tensor& x, double output_scale,
                  int64_t output_zero_point) {
  return LookUpInFloat("fbgemm_silu", x, output_scale, output_zero_point,
                       kernels::Silu);
}

at::Tensor GeluOp(const at::Tensor& x, double output_scale,
                  int64_t output_zero_point, c10::string_view approximate) {
  TORCH_CHECK(approximate == "none" || approximate == "tanh",
              "fbgemm_gelu: approximate is \"", approximate,
              "\", not \"none\" or \"tanh\"");
  return LookUpInFloat(
      "fbgemm_gelu", x, output_scale, output_zero_point,
      approximate == "none" ? kernels::Gelu : kernels::GeluTanh);
}

at::Tensor MishOp(const at::Tensor& x, double output_scale,
                  int64_t output_zero_point) {
  return LookUpInFloat("fbgemm_mish", x, output_scale, output_zero_point,
                       kernels::Mish);
}

at::Tensor SoftplusOp(const at::Tensor& x, double output_scale,
                      int64_t output_zero_point, const at::Scalar& beta,
                      const at::Scalar& threshold) {
  const float factor = beta.to<float>();
  const float most = threshold.to<float>();
  return LookUpInFloat(
      "fbgemm_softplus", x, output_scale, output_zero_point,
      [&](float v) { return kernels::Softplus(v, factor, most); });
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  library.def("fbgemm_relu(Tensor x) -> Tensor", ReluOp);
  library.def("fbgemm_clamp(Tensor x, Scalar? min, Scalar? max) -> Tensor",
              ClampOp);
  library.def("fbgemm_sigmoid(Tensor x, float scale, int zero_point) -> Tensor",
              SigmoidOp);
  library.def("fbgemm_tanh(Tensor x, float scale, int zero_point) -> Tensor",
              TanhOp);
  library.def(
      "fbgemm_hardsigmoid(Tensor x, float scale, int zero_point) -> Tensor",
      HardSigmoidOp);
  library.def(
      "fbgemm_hardswish(Tensor x, float scale, int zero_point) -> Tensor",
      HardSwishOp);
  library.def(
      "fbgemm_leaky_relu(Tensor x, Scalar negative_slope, bool inplace, "
      "float scale, int zero_point) -> Tensor",
      LeakyReluOp);
  library.def(
      "fbgemm_elu(Tensor x, float output_scale, int output_zero_point, "
      "Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
      EluOp);
  library.def(
      "fbgemm_celu(Tensor x, float output_scale, int output_zero_point, "
      "Scalar alpha=1) -> Tensor",
      CeluOp);
  library.def(
      "fbgemm_selu(Tensor x, float output_scale, int output_zero_point) -> "
      "Tensor",
      SeluOp);
  library.def(
      "fbgemm_silu(Tensor x, float output_scale, int output_zero_point) -> "
      "Tensor",
      SiluOp);
  library.def(
      "fbgemm_gelu(Tensor x, float output_scale, int output_zero_point, *, "
      "str approximate=\"none\") -> Tensor",
      GeluOp);
  library.def(
      "fbgemm_mish(Tensor x, float output_scale, int output_zero_point) -> "
      "Tensor",
      MishOp);
  library.def(
      "fbgemm_softplus(Tensor x, float output_scale, int output_zero_point, "
      "Scalar beta=1, Scalar threshold=20) -> Tensor",
      SoftplusOp);
}

}  // namespace
}  // namespace ns
