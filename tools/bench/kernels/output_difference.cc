#include "tools/bench/kernels/output_difference.h"

#include <ATen/ATen.h>

#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace ns::bench {
namespace {

std::vector<at::Tensor> TensorsOf(const c10::IValue& value) {
  std::vector<at::Tensor> tensors;
  value.visit([&](const c10::IValue& part) {
    if (part.isTensor() && part.toTensor().defined()) {
      tensors.push_back(part.toTensor());
    }
    return false;
  });
  return tensors;
}

std::string SizesOf(const at::Tensor& tensor) {
  return absl::StrCat("[", absl::StrJoin(tensor.sizes(), ","), "]");
}

at::Tensor Values(const at::Tensor& tensor) {
  return (tensor.is_quantized() ? tensor.dequantize() : tensor).to(at::kDouble);
}

std::string CodeDifference(const at::Tensor& expected,
                           const at::Tensor& actual) {
  const at::Tensor difference =
      (expected.int_repr().to(at::kLong) - actual.int_repr().to(at::kLong))
          .abs();
  return absl::StrFormat(
      "%d of %d codes differ, by at most %d; ",
      difference.count_nonzero().item<int64_t>(), difference.numel(),
      difference.numel() == 0 ? 0 : difference.max().item<int64_t>());
}

std::string Difference(const at::Tensor& expected, const at::Tensor& actual) {
  if (expected.sizes() != actual.sizes()) {
    return absl::StrCat("sizes ", SizesOf(expected), " and ", SizesOf(actual));
  }
  const at::Tensor values = Values(expected);
  const double noise = (values - Values(actual)).norm().item<double>();
  const double signal = values.norm().item<double>();
  const bool of_codes = expected.is_quantized() && actual.is_quantized();
  return absl::StrCat(
      of_codes ? CodeDifference(expected, actual) : "",
      noise == 0
          ? "equal values"
          : absl::StrFormat("SQNR %.1f dB", 20 * std::log10(signal / noise)));
}

}  // namespace

std::vector<std::string> OutputDifferences(const c10::IValue& expected,
                                           const c10::IValue& actual) {
  const std::vector<at::Tensor> a = TensorsOf(expected);
  const std::vector<at::Tensor> b = TensorsOf(actual);
  if (a.size() != b.size()) {
    return {absl::StrCat(a.size(), " and ", b.size(), " tensors")};
  }
  std::vector<std::string> lines;
  for (size_t i = 0; i < a.size(); ++i) {
    lines.push_back(Difference(a[i], b[i]));
  }
  return lines;
}

}  // namespace ns::bench
