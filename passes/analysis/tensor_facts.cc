#include "passes/analysis/tensor_facts.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <algorithm>
#include <optional>

#include "ir/graph/node_view.h"

namespace ns {
namespace {

using ::torch::jit::Value;

// Returns the number that `value` always is; nothing when only a run tells.
std::optional<c10::Scalar> ConstantNumber(const Value& value) {
  const std::optional<c10::IValue> constant = ConstantOf(value);
  if (!constant) {
    return std::nullopt;
  }
  if (constant->isTensor()) {
    const at::Tensor& tensor = constant->toTensor();
    return tensor.defined() && tensor.numel() == 1
               ? std::optional<c10::Scalar>(tensor.item())
               : std::nullopt;
  }
  return constant->isScalar() ? std::optional<c10::Scalar>(constant->toScalar())
                              : std::nullopt;
}

TensorFacts FactsOfTensor(const at::Tensor& tensor) {
  if (!tensor.defined()) {
    return TensorFacts::Never();
  }
  TensorFacts facts;
  if (!tensor.is_quantized()) {
    facts = TensorFacts::Plain(Fact(tensor.scalar_type()));
  } else if (tensor.qscheme() == c10::kPerTensorAffine) {
    facts = TensorFacts::PerTensor(PerTensorQParams{
        {tensor.q_scale()}, {tensor.q_zero_point()}, tensor.scalar_type()});
  } else {
    facts = TensorFacts::PerChannel(Fact(tensor.scalar_type()));
  }
  facts.least_rank = static_cast<int>(tensor.dim());
  return facts;
}

}  // namespace

KnownNumber<double> KnownScale(Value& scale) {
  const auto number = ConstantNumber(scale);
  return number ? KnownNumber<double>{number->toDouble()}
                : KnownNumber<double>{std::nullopt, &scale};
}

KnownNumber<int64_t> KnownZeroPoint(Value& zero_point) {
  const auto number = ConstantNumber(zero_point);
  return number ? KnownNumber<int64_t>{number->toLong()}
                : KnownNumber<int64_t>{std::nullopt, &zero_point};
}

TensorFacts TensorFacts::Unknown() {
  TensorFacts facts;
  facts.is_quantized = Fact<bool>::Unknown();
  facts.dtype = Fact<c10::ScalarType>::Unknown();
  facts.is_per_tensor = Fact<bool>::Unknown();
  facts.least_rank = 0;
  return facts.WithoutQParams();
}

TensorFacts TensorFacts::Plain(Fact<c10::ScalarType> dtype) {
  TensorFacts facts;
  facts.is_quantized = Fact(false);
  facts.dtype = dtype;
  facts.least_rank = 0;
  return facts;
}

TensorFacts TensorFacts::PerTensor(Fact<c10::ScalarType> dtype) {
  TensorFacts facts;
  facts.is_quantized = Fact(true);
  facts.dtype = dtype;
  facts.is_per_tensor = Fact(true);
  facts.least_rank = 0;
  return facts.WithoutQParams();
}

TensorFacts TensorFacts::PerTensor(const PerTensorQParams& qparams) {
  TensorFacts facts = PerTensor(Fact(qparams.dtype));
  facts.scale = Fact(qparams.scale);
  facts.zero_point = Fact(qparams.zero_point);
  return facts;
}

TensorFacts TensorFacts::PerChannel(Fact<c10::ScalarType> dtype) {
  TensorFacts facts;
  facts.is_quantized = Fact(true);
  facts.dtype = dtype;
  facts.is_per_tensor = Fact(false);
  facts.least_rank = 0;
  return facts;
}

std::optional<PerTensorQParams> TensorFacts::qparams() const {
  if (!is_quantized.Is(true) || !is_per_tensor.Is(true) || !dtype.known() ||
      !scale.known() || !zero_point.known()) {
    return std::nullopt;
  }
  return PerTensorQParams{*scale.known(), *zero_point.known(), *dtype.known()};
}

TensorFacts TensorFacts::WithoutQParams() const {
  TensorFacts facts = *this;
  facts.scale = Fact<KnownNumber<double>>::Unknown();
  facts.zero_point = Fact<KnownNumber<int64_t>>::Unknown();
  return facts;
}

TensorFacts TensorFacts::Join(const TensorFacts& other) const {
  TensorFacts facts;
  facts.is_quantized = is_quantized.Join(other.is_quantized);
  facts.dtype = dtype.Join(other.dtype);
  facts.is_per_tensor = is_per_tensor.Join(other.is_per_tensor);
  facts.scale = scale.Join(other.scale);
  facts.zero_point = zero_point.Join(other.zero_point);
  facts.least_rank = std::min(least_rank, other.least_rank);
  return facts;
}

bool TensorFacts::operator==(const TensorFacts& other) const {
  return is_quantized == other.is_quantized && dtype == other.dtype &&
         is_per_tensor == other.is_per_tensor && scale == other.scale &&
         zero_point == other.zero_point && least_rank == other.least_rank;
}

TensorFacts FactsOfConstant(const c10::IValue& constant) {
  if (constant.isTensor()) {
    return FactsOfTensor(constant.toTensor());
  }
  TensorFacts facts = TensorFacts::Never();
  if (constant.isList()) {
    for (const c10::IValue& element : constant.toListRef()) {
      facts = facts.Join(FactsOfConstant(element));
    }
  }
  return facts;
}

}  // namespace ns
