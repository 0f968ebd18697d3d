// What can be known of a tensor before its graph runs.
//
// Facts form a lattice. Each tells something of all tensors that a value may
// be: on every way through control flow, on every trip of a loop, as any
// element of a list. From what says most to what says least:
//
//   never    there is no such tensor: None, an arm that raises an exception, a
//            list without elements; or no scale of a tensor that has none
//   is(x)    it is x, always
//   differs  each way gives one that is known, and not all the same
//   unknown  only a run tells
//
// The join of two facts holds for both: never joined with a fact is that fact;
// a known x joined with another is `differs`; unknown joined with anything but
// itself is unknown again. No fact can change more than three times, and a
// least rank no more often than it is high: a fixed point is soon found.
#ifndef PASSES_ANALYSIS_TENSOR_FACTS_H_
#define PASSES_ANALYSIS_TENSOR_FACTS_H_

#include <ATen/core/ivalue.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

template <typename T>
class Fact {
 public:
  // Never.
  Fact() = default;
  explicit Fact(T value) : state_(State::kIs), value_(std::move(value)) {}
  static Fact Unknown() { return Fact(State::kUnknown); }

  bool IsNever() const { return state_ == State::kNever; }
  bool IsUnknown() const { return state_ == State::kUnknown; }
  bool Differs() const { return state_ == State::kDiffers; }
  bool Is(const T& value) const {
    return state_ == State::kIs && value_ == value;
  }
  // Null when it is not always the same.
  const T* known() const { return state_ == State::kIs ? &value_ : nullptr; }

  Fact Join(const Fact& other) const {
    if (IsNever() || other.IsUnknown() || *this == other) {
      return other;
    }
    return other.IsNever() || IsUnknown() ? *this : Fact(State::kDiffers);
  }

  bool operator==(const Fact& other) const {
    return state_ == other.state_ && value_ == other.value_;
  }
  bool operator!=(const Fact& other) const { return !(*this == other); }

 private:
  enum class State { kNever, kIs, kDiffers, kUnknown };

  explicit Fact(State state) : state_(state) {}

  State state_ = State::kNever;
  T value_{};  // T{} unless kIs
};

// A number that is constant, or a value of the graph: a number, or a tensor of
// one element.
template <typename T>
struct KnownNumber {
  std::optional<T> constant;
  torch::jit::Value* value = nullptr;

  // True when the two are the same, whenever the graph runs.
  bool operator==(const KnownNumber& other) const {
    return constant == other.constant && value == other.value;
  }
};

KnownNumber<double> KnownScale(torch::jit::Value& scale);
KnownNumber<int64_t> KnownZeroPoint(torch::jit::Value& zero_point);

// How a tensor is quantized that has one scale.
struct PerTensorQParams {
  KnownNumber<double> scale;
  KnownNumber<int64_t> zero_point;
  c10::ScalarType dtype = c10::ScalarType::QUInt8;

  bool operator==(const PerTensorQParams& other) const {
    return scale == other.scale && zero_point == other.zero_point &&
           dtype == other.dtype;
  }
};

struct TensorFacts {
  // The rank of what is never a tensor.
  static constexpr int kNoTensor = std::numeric_limits<int>::max();

  Fact<bool> is_quantized;
  Fact<c10::ScalarType> dtype;
  // Where it is quantized: with one scale, or with one for each channel.
  Fact<bool> is_per_tensor;
  // Where it is quantized with one scale.
  Fact<KnownNumber<double>> scale;
  Fact<KnownNumber<int64_t>> zero_point;
  // It has this many dimensions, or more.
  int least_rank = kNoTensor;

  // Of no tensor.
  static TensorFacts Never() { return {}; }
  static TensorFacts Unknown();
  // Of a tensor that is not quantized.
  static TensorFacts Plain(
      Fact<c10::ScalarType> dtype = Fact<c10::ScalarType>::Unknown());
  // Of a quantized tensor with one scale that is not known.
  static TensorFacts PerTensor(Fact<c10::ScalarType> dtype);
  static TensorFacts PerTensor(const PerTensorQParams& qparams);
  static TensorFacts PerChannel(Fact<c10::ScalarType> dtype);

  bool IsNever() const { return is_quantized.IsNever(); }

  // Absent unless it is quantized on all ways, with one scale, and that, the
  // zero point and the dtype are known.
  std::optional<PerTensorQParams> qparams() const;

  // Without what is known of the scale and the zero point.
  TensorFacts WithoutQParams() const;

  TensorFacts Join(const TensorFacts& other) const;

  bool operator==(const TensorFacts& other) const;
  bool operator!=(const TensorFacts& other) const { return !(*this == other); }
};

// Of a constant: a tensor, the elements of a list of tensors, or no tensor.
TensorFacts FactsOfConstant(const c10::IValue& constant);

}  // namespace ns

#endif  // PASSES_ANALYSIS_TENSOR_FACTS_H_
