// What tests of elementwise kernels share.
#ifndef TESTS_PASSES_KERNELS_ELEMENTWISE_ELEMENTWISE_TEST_BASE_H_
#define TESTS_PASSES_KERNELS_ELEMENTWISE_ELEMENTWISE_TEST_BASE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/isa.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/qparams.h"

namespace ns::kernels {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Runs in the instruction set of the parameter.
class ElementwiseTest : public testing::TestWithParam<Isa> {
 private:
  ScopedIsa isa_{GetParam()};
};

inline std::string NameOfIsa(const testing::TestParamInfo<Isa>& info) {
  return IsaName(info.param);
}

// What `compute` gives in the scalar instruction set: the reference.
template <typename Compute>
auto InScalar(const Compute& compute) {
  const ScopedIsa scalar(Isa::kScalar);
  return compute();
}

// An array that ends where its memory does, for address sanitizers, and begins
// `offset` elements after an aligned address.
template <typename T>
class ExactArray {
 public:
  ExactArray(int64_t size, int64_t offset)
      : size_(size), offset_(offset), memory_(new T[offset + size]()) {}
  ExactArray(const std::vector<T>& values, int64_t offset)
      : ExactArray(static_cast<int64_t>(values.size()), offset) {
    std::copy(values.begin(), values.end(), data());
  }

  T* data() { return memory_.get() + offset_; }
  const T* data() const { return memory_.get() + offset_; }
  std::vector<T> ToVector() const { return {data(), data() + size_}; }
  // Whether what lies before it is as it was.
  bool IsUntouchedBefore() const {
    for (int64_t i = 0; i < offset_; ++i) {
      if (memory_[i] != T()) {
        return false;
      }
    }
    return true;
  }

 private:
  int64_t size_;
  int64_t offset_;
  std::unique_ptr<T[]> memory_;
};

template <typename Code>
std::vector<Code> AllCodes() {
  std::vector<Code> codes;
  for (int code = std::numeric_limits<Code>::min();
       code <= std::numeric_limits<Code>::max(); ++code) {
    codes.push_back(static_cast<Code>(code));
  }
  return codes;
}

template <typename Code>
std::vector<Code> RandomCodes(int64_t count, std::mt19937& random) {
  std::uniform_int_distribution<int> code(std::numeric_limits<Code>::min(),
                                          std::numeric_limits<Code>::max());
  std::vector<Code> codes(count);
  for (Code& each : codes) {
    each = static_cast<Code>(code(random));
  }
  return codes;
}

// Of all magnitudes: any bits are a float.
inline std::vector<float> RandomFloats(int64_t count, std::mt19937& random) {
  std::normal_distribution<float> normal(0, 100);
  std::vector<float> values(count);
  for (float& value : values) {
    if (random() % 4 == 0) {
      const uint32_t bits = static_cast<uint32_t>(random());
      static_assert(sizeof(bits) == sizeof(value));
      std::memcpy(&value, &bits, sizeof(value));
    } else {
      value = normal(random);
    }
  }
  return values;
}

// Floats where kernels could go wrong, for a scale of about 1.
inline std::vector<float> SpecialFloats() {
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  constexpr float kHuge = std::numeric_limits<float>::max();
  return {0.0f,          -0.0f,         kNan,          -kNan,
          kInf,          -kInf,         kTiny,         -kTiny,
          kHuge,         -kHuge,        2147483520.0f, 2147483648.0f,
          -2147483648.f, -2147483904.f, 4294967296.0f, -4294967296.0f,
          0.5f,          1.5f,          2.5f,          -0.5f,
          -1.5f,         -2.5f,         254.5f,        255.5f,
          32767.5f,      -32768.5f,     65535.0f,      16777217.0f};
}

// Scales, the ordinary first, and zero points at both ends and in the middle.
inline std::vector<QParams> SomeQParams(bool is_signed) {
  const int32_t least = is_signed ? -128 : 0;
  std::vector<QParams> all;
  for (const float scale :
       {0.037f, 1.0f, 0.5f, 3e38f, 1e-38f, 1e-42f, 0.0f, 1e10f, 1e-7f}) {
    for (const int32_t step : {0, 1, 127, 128, 129, 255}) {
      all.push_back({scale, least + step});
    }
  }
  return all;
}

// Calls `tasks` for one task at a time, the last first: an order that no kernel
// may depend on.
inline void Backwards(int64_t count, int64_t /*grain*/, Tasks tasks) {
  for (int64_t i = count; i > 0; --i) {
    tasks(i - 1, i);
  }
}

}  // namespace ns::kernels

#endif  // TESTS_PASSES_KERNELS_ELEMENTWISE_ELEMENTWISE_TEST_BASE_H_
