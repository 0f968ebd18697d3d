// Defines what can be known of a tensor before its graph runs: whether it is
// quantized, its dtype, scale, zero point and rank.
//
// Facts form a lattice. Each fact holds for all tensors that a value may be:
// whichever arms of prim::If run, in every iteration of a loop, and for every
// element of a list. From the fact that says most to the one that says least:
//
//   never    there is no such tensor: None, an arm that raises an exception, a
//            list without elements; or the tensor has no scale
//   is(x)    it is always x
//   differs  it is known for each way through control flow, or each element,
//            and not the same for all
//   unknown  only a run tells
//
// The join of two facts is true wherever one of them is: `never` joined with a
// fact is that fact; is(x) joined with is(y) is `differs`; unknown joined with
// anything is unknown. By joins, a fact can change three times at most. A least
// rank can only fall. So an analysis soon finds a fixed point.
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

// One fact of the lattice, about a property of type T.
template <typename T>
class Fact {
 public:
  // Makes the fact `never`.
  Fact() = default;
  // Makes the fact that the property is `value`.
  explicit Fact(T value) : state_(State::kIs), value_(std::move(value)) {}
  static Fact Unknown() { return Fact(State::kUnknown); }

  bool IsNever() const { return state_ == State::kNever; }
  bool IsUnknown() const { return state_ == State::kUnknown; }
  bool Differs() const { return state_ == State::kDiffers; }
  bool Is(const T& value) const {
    return state_ == State::kIs && value_ == value;
  }
  // Returns the value that the property always has; null when there is none.
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

// A scale or zero point that is a constant, or a value of the graph: a number,
// or a tensor of one element.
template <typename T>
struct KnownNumber {
  // The constant; absent when only `value` is known.
  std::optional<T> constant;
  // The value of the graph; null for a constant.
  torch::jit::Value* value = nullptr;

  // True when the two are the same, whenever the graph runs.
  bool operator==(const KnownNumber& other) const {
    return constant == other.constant && value == other.value;
  }
};

// Return what is known of the argument of an op for a scale or a zero point:
// the number where it is a constant, and otherwise the value itself.
KnownNumber<double> KnownScale(torch::jit::Value& scale);
KnownNumber<int64_t> KnownZeroPoint(torch::jit::Value& zero_point);

// The qparams and the dtype of a tensor that is quantized with one scale.
struct PerTensorQParams {
  KnownNumber<double> scale;
  KnownNumber<int64_t> zero_point;
  c10::ScalarType dtype = c10::ScalarType::QUInt8;

  bool operator==(const PerTensorQParams& other) const {
    return scale == other.scale && zero_point == other.zero_point &&
           dtype == other.dtype;
  }
};

// All facts of a tensor.
struct TensorFacts {
  // The least rank of a value that is never a tensor.
  static constexpr int kNoTensor = std::numeric_limits<int>::max();

  Fact<bool> is_quantized;
  Fact<c10::ScalarType> dtype;
  // For a quantized tensor: whether it has one scale, and not one for each
  // channel.
  Fact<bool> is_per_tensor;
  // For a tensor that is quantized with one scale: the qparams.
  Fact<KnownNumber<double>> scale;
  Fact<KnownNumber<int64_t>> zero_point;
  // The tensor has this many dimensions, or more.
  int least_rank = kNoTensor;

  // The facts of a value that is never a tensor.
  static TensorFacts Never() { return {}; }
  static TensorFacts Unknown();
  // The facts of a tensor that is not quantized.
  static TensorFacts Plain(
      Fact<c10::ScalarType> dtype = Fact<c10::ScalarType>::Unknown());
  // The facts of a tensor that is quantized with one scale, which is not known,
  // or with `qparams`; and of one with a scale for each channel.
  static TensorFacts PerTensor(Fact<c10::ScalarType> dtype);
  static TensorFacts PerTensor(const PerTensorQParams& qparams);
  static TensorFacts PerChannel(Fact<c10::ScalarType> dtype);

  bool IsNever() const { return is_quantized.IsNever(); }

  // Returns the qparams when the tensor is always quantized with one scale, and
  // that scale, the zero point and the dtype are known. Absent otherwise.
  std::optional<PerTensorQParams> qparams() const;

  // Returns these facts with an unknown scale and zero point.
  TensorFacts WithoutQParams() const;

  TensorFacts Join(const TensorFacts& other) const;

  bool operator==(const TensorFacts& other) const;
  bool operator!=(const TensorFacts& other) const { return !(*this == other); }
};

// Returns the facts of a constant: a tensor, a list of tensors (they hold for
// all elements), or something else (`never`).
TensorFacts FactsOfConstant(const c10::IValue& constant);

}  // namespace ns

#endif  // PASSES_ANALYSIS_TENSOR_FACTS_H_
