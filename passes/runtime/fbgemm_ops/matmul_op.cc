// ns::fbgemm_matmul: what quantized::matmul takes.
#include <ATen/ExpandUtils.h>
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "passes/kernels/gemm/matmul.h"
#include "passes/runtime/fbgemm_ops/quantized_data.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"

namespace ns {
namespace {

constexpr char kOp[] = "fbgemm_matmul";

using Sizes = std::vector<int64_t>;

// The sizes of `x` but for those of its matrices, which are the last two.
at::IntArrayRef BatchSizes(const at::Tensor& x) {
  return x.sizes().slice(0, x.dim() - 2);
}

Sizes WithMatrix(at::IntArrayRef batch, int64_t rows, int64_t columns) {
  Sizes sizes = batch.vec();
  sizes.push_back(rows);
  sizes.push_back(columns);
  return sizes;
}

// Where each matrix of `x` begins in its memory.
Sizes Begins(const at::Tensor& x) {
  Sizes begins = {0};
  for (int64_t dim = 0; dim < x.dim() - 2; ++dim) {
    Sizes inner;
    inner.reserve(begins.size() * x.size(dim));
    for (const int64_t begin : begins) {
      for (int64_t i = 0; i < x.size(dim); ++i) {
        inner.push_back(begin + i * x.stride(dim));
      }
    }
    begins = std::move(inner);
  }
  return begins;
}

kernels::QuantizedMatrices MatricesOf(const at::Tensor& x,
                                      const Sizes& begins) {
  return {QuantizedDataOf(x), begins, x.stride(-2), x.stride(-1), QParamsOf(x)};
}

// Of matrices, and as many of them in `a` as in `b`.
at::Tensor MultiplyMatrices(const at::Tensor& a, const at::Tensor& b,
                            double scale, int64_t zero_point) {
  const kernels::MatMulShape shape = {a.size(-2), b.size(-1), a.size(-1)};
  if (shape.k > kernels::kMostMatMulK) {
    return at::quantize_per_tensor(at::matmul(a.dequantize(), b.dequantize()),
                                   scale, zero_point, at::kQUInt8);
  }
  at::Tensor out = EmptyQuantized(WithMatrix(BatchSizes(a), shape.m, shape.n),
                                  scale, zero_point);
  const Sizes a_begins = Begins(a);
  const Sizes b_begins = Begins(b);
  kernels::MatMul(MatricesOf(a, a_begins), MatricesOf(b, b_begins), shape,
                  QParamsOf(out), MutableQuantizedDataOf(out), TorchParallel);
  return out;
}

at::Tensor MatMul(const at::Tensor& qa, const at::Tensor& qb, double scale,
                  int64_t zero_point) {
  CheckQuantized(qa, kOp);
  CheckQuantized(qb, kOp);
  CheckQParams(scale, zero_point, kOp);
  TORCH_CHECK(qa.dim() > 0 && qb.dim() > 0, kOp,
              ": takes vectors and matrices, and not numbers");
  // As aten::matmul does: a vector is a row, or a column, of a matrix, and
  // leaves no dimension behind.
  const at::Tensor a = qa.dim() == 1 ? qa.unsqueeze(0) : qa;
  const at::Tensor b = qb.dim() == 1 ? qb.unsqueeze(1) : qb;
  TORCH_CHECK(a.size(-1) == b.size(-2), kOp, ": multiplies ", a.size(-1),
              " columns by ", b.size(-2), " rows, in inputs of sizes ",
              qa.sizes(), " and ", qb.sizes());
  const Sizes batch = at::infer_size(BatchSizes(a), BatchSizes(b));
  at::Tensor out = MultiplyMatrices(
      a.expand(WithMatrix(batch, a.size(-2), a.size(-1))),
      b.expand(WithMatrix(batch, b.size(-2), b.size(-1))), scale, zero_point);
  if (qb.dim() == 1) {
    out = out.squeeze(-1);
  }
  return qa.dim() == 1 ? out.squeeze(qb.dim() == 1 ? -1 : -2) : out;
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  library.def(
      "fbgemm_matmul(Tensor qa, Tensor qb, float scale, int zero_point) -> "
      "Tensor",
      MatMul);
}

}  // namespace
}  // namespace ns
