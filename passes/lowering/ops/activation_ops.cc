// Activations on codes. Those that keep the qparams of their input clamp its
// codes; the others look each code up in a table of 256.
#include <ATen/core/Scalar.h>
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include "absl/functional/function_ref.h"
#include "passes/lowering/kernels/elementwise/activations.h"
#include "passes/lowering/kernels/elementwise/clamp.h"
#include "passes/lowering/kernels/elementwise/look_up.h"
#include "passes/lowering/ops/codes.h"
#include "passes/lowering/ops/torch_parallel.h"

namespace ns {
namespace {

at::Tensor ClampTo(const char* op, const at::Tensor& x, uint8_t min,
                   uint8_t max) {
  CheckCodes(x, op);
  const at::Tensor dense = Dense(x);
  at::Tensor out = EmptyCodesLike(dense, x.q_scale(), x.q_zero_point());
  kernels::ClampCodes(CodesOf(dense), out.numel(), min, max,
                      MutableCodesOf(out), TorchParallel);
  return out;
}

at::Tensor ReluOp(const at::Tensor& x) {
  CheckCodes(x, "fbgemm_relu");
  return ClampTo("fbgemm_relu", x, static_cast<uint8_t>(x.q_zero_point()), 255);
}

at::Tensor ClampOp(const at::Tensor& x, const c10::optional<at::Scalar>& min,
                   const c10::optional<at::Scalar>& max) {
  CheckCodes(x, "fbgemm_clamp");
  const kernels::QParams qparams = QParamsOf(x);
  return ClampTo("fbgemm_clamp", x, min ? CodeOf(min->to<float>(), qparams) : 0,
                 max ? CodeOf(max->to<float>(), qparams) : 255);
}

at::Tensor LookUp(const char* op, const at::Tensor& x, double scale,
                  int64_t zero_point,
                  absl::FunctionRef<float(float)> function) {
  CheckCodes(x, op);
  CheckQParams(scale, zero_point, op);
  const at::Tensor dense = Dense(x);
  at::Tensor out = EmptyCodesLike(dense, scale, zero_point);
  const kernels::CodeTable table = kernels::MakeTable(
      function, QParamsOf(x), QParamsOf(out), kernels::CodeReading::kFma);
  kernels::LookUp(CodesOf(dense), out.numel(), table, MutableCodesOf(out),
                  TorchParallel);
  return out;
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
  return LookUp("fbgemm_elu", x, output_scale, output_zero_point,
                [&](float v) { return kernels::Elu(v, params); });
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
}

}  // namespace
}  // namespace ns
