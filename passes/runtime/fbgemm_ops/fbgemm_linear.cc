#include "passes/runtime/fbgemm_ops/fbgemm_linear.h"

#include <ATen/Functions.h>

#include <utility>
#include <vector>

#include "passes/kernels/gemm/gemm.h"
#include "passes/runtime/fbgemm_ops/quantized_data.h"
#include "passes/runtime/fbgemm_ops/quantized_sum.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"

namespace ns {
namespace {

constexpr char kLayer[] = "FbgemmLinear";
kernels::PackedMatrix Pack(const at::Tensor& weight) {
  TORCH_CHECK(weight.defined() && weight.dim() == 2 &&
                  weight.scalar_type() == at::kQInt8,
              kLayer, ": the weight must be a qint8 matrix");
  const at::Tensor dense = weight.contiguous();
  return kernels::PackedMatrix(static_cast<const int8_t*>(dense.data_ptr()),
                               weight.size(0), 1, weight.size(1));
}

std::vector<int64_t> OutputSizes(const at::Tensor& x, int64_t columns) {
  std::vector<int64_t> sizes = x.sizes().vec();
  sizes.back() = columns;
  return sizes;
}

at::Tensor EmptyOutput(const std::vector<int64_t>& sizes,
                       const OutputQParams& output) {
  switch (output.type) {
    case kernels::OutputType::kF32:
      return at::empty(sizes, at::kFloat);
    case kernels::OutputType::kS32:
      return at::empty(sizes, at::kInt);
    default:
      return EmptyQuantized(sizes, output.scale, output.qparams.zero_point);
  }
}

}  // namespace

FbgemmLinear::FbgemmLinear(at::Tensor weight, at::Tensor bias,
                           kernels::SaturationMode mode)
    : weight_(std::move(weight)),
      bias_(std::move(bias)),
      mode_(mode),
      packed_(Pack(weight_)),
      plans_(ReadWeightQParams(weight_, 0, kLayer),
             ReadBias(bias_, packed_.n(), kLayer), packed_.column_sums(),
             packed_.k()) {}

void FbgemmLinear::CheckColumns(const at::Tensor& x) const {
  TORCH_CHECK(x.dim() >= 1 && x.size(-1) == packed_.k(), kLayer, ": takes ",
              packed_.k(), " columns, and the input is of size ", x.sizes());
}

void FbgemmLinear::Multiply(const uint8_t* quantized, int64_t rows,
                            kernels::QParams activation,
                            const OutputQParams& output, void* out) const {
  const auto plan = plans_.Get(activation, output);
  kernels::Gemm(quantized, rows, packed_.k(), packed_, *plan, mode_, out,
                TorchParallel);
}

at::Tensor FbgemmLinear::Run(const at::Tensor& x,
                             const OutputQParams& output) const {
  CheckQuantized(x, kLayer);
  CheckColumns(x);
  const at::Tensor dense = x.contiguous();
  at::Tensor out = EmptyOutput(OutputSizes(x, packed_.n()), output);
  if (out.numel() > 0) {
    Multiply(QuantizedDataOf(dense), out.numel() / packed_.n(), QParamsOf(x),
             output, out.data_ptr());
  }
  return out;
}

at::Tensor FbgemmLinear::RunWithSum(const at::Tensor& x,
                                    const at::Tensor& other, bool relu,
                                    double scale, int64_t zero_point) const {
  return AddQuantized(Run(x, FloatOutput()), other, relu, scale, zero_point,
                      OutputLayout::kContiguous, kLayer);
}

at::Tensor FbgemmLinear::RunDynamic(const at::Tensor& x, bool reduce_range,
                                    bool relu, DynamicRounding rounding) const {
  CheckColumns(x);
  // Quantizing keeps the layout, and rows must lie one after the other.
  const at::Tensor quantized =
      QuantizeDynamically(x, reduce_range, kLayer, rounding).contiguous();
  at::Tensor out = at::empty(OutputSizes(x, packed_.n()), at::kFloat);
  if (out.numel() == 0) {
    return out;
  }
  const OutputQParams output = FloatOutput();
  Multiply(QuantizedDataOf(quantized), out.numel() / packed_.n(),
           QParamsOf(quantized), relu ? Relu(output) : output, out.data_ptr());
  return out;
}

}  // namespace ns
