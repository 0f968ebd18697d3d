#include "tools/bench/kernels/elementwise_cases.h"

#include <ATen/ATen.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "passes/kernels/elementwise/add.h"
#include "passes/kernels/elementwise/dequantize.h"
#include "passes/kernels/elementwise/quantize.h"
#include "passes/kernels/qparams.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"
#include "tools/bench/kernels/problem.h"
#include "tools/bench/kernels/torch_peer.h"

namespace ns::bench {
namespace {

using kernels::QParams;

constexpr QParams kIn = {0.03F, 121};
constexpr QParams kOther = {0.02F, 130};
constexpr QParams kOut = {0.05F, 100};

at::Tensor Quantized(const at::Tensor& values, QParams qparams) {
  return at::quantize_per_tensor(values, qparams.scale, qparams.zero_point,
                                 at::kQUInt8);
}

uint8_t* Codes(const at::Tensor& tensor) {
  return static_cast<uint8_t*>(tensor.data_ptr());
}

// A case whose results are tensors of codes.
OperatorCase CodesCase(std::string name, int64_t bytes, int64_t elements,
                       const std::function<void(uint8_t*)>& ours,
                       const std::function<at::Tensor()>& torch) {
  const at::Tensor out = at::zeros({elements}, at::kByte);
  const auto expected = std::make_shared<at::Tensor>();
  return {std::move(name),
          bytes,
          elements,
          [=] { ours(Codes(out)); },
          [=] { *expected = torch(); },
          [=] { return CompareCodes(Codes(out), Codes(*expected), elements); }};
}

OperatorCase Quantize(const std::string& size, const at::Tensor& values) {
  const int64_t count = values.numel();
  return CodesCase(
      absl::StrCat("quantize ", size), 5 * count, count,
      [=](uint8_t* out) {
        kernels::Quantize(values.data_ptr<float>(), count, kIn, out,
                          TorchParallel);
      },
      [=] { return Quantized(values, kIn); });
}

OperatorCase Dequantize(const std::string& size, const at::Tensor& codes) {
  const int64_t count = codes.numel();
  const at::Tensor out = at::zeros({count});
  const auto expected = std::make_shared<at::Tensor>();
  return {absl::StrCat("dequantize ", size),
          5 * count,
          4 * count,
          [=] {
            kernels::Dequantize(Codes(codes), count, kIn, out.data_ptr<float>(),
                                TorchParallel);
          },
          [=] { *expected = codes.dequantize(); },
          [=]() -> std::string {
            return at::allclose(out, *expected) ? "" : "values differ";
          }};
}

OperatorCase AddRelu(const std::string& size, const at::Tensor& a,
                     const at::Tensor& b) {
  const int64_t count = a.numel();
  return CodesCase(
      absl::StrCat("add_relu ", size), 3 * count, count,
      [=](uint8_t* out) {
        kernels::Add({Codes(a), kIn}, {Codes(b), kOther}, count, true, kOut,
                     out, TorchParallel);
      },
      [=] {
        return CallOperator("quantized::add_relu", "",
                            {a, b, static_cast<double>(kOut.scale),
                             static_cast<int64_t>(kOut.zero_point)})[0]
            .toTensor();
      });
}

}  // namespace

std::vector<OperatorCase> ElementwiseCases(int64_t elements) {
  const std::string size = elements < (1 << 20)
                               ? absl::StrCat(elements >> 10, " Ki")
                               : absl::StrCat(elements >> 20, " Mi");
  const at::Tensor values = at::randn({elements});
  const at::Tensor codes = Quantized(values, kIn);
  const at::Tensor other = Quantized(at::randn({elements}), kOther);
  return {Quantize(size, values), Dequantize(size, codes),
          AddRelu(size, codes, other)};
}

}  // namespace ns::bench
