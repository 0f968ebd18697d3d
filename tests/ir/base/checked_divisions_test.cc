#include "ir/base/checked_divisions.h"

#include <ATen/core/stack.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

#include "gtest/gtest.h"

namespace ns {
namespace {

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();

c10::IValue Divide(const char* name, const char* overload, const c10::IValue& a,
                   const c10::IValue& b) {
  CheckIntegerDivisions();
  const auto op = torch::jit::findOperatorFor({name, overload});
  if (op == nullptr) {
    throw std::logic_error(name);
  }
  torch::jit::Stack stack = {a, b};
  op->getOperation()(stack);
  EXPECT_EQ(stack.size(), 1) << name;
  return stack.back();
}

TEST(CheckedDivisionsTest, DivisionsByZeroThrow) {
  for (const char* overload : {"int", ""}) {
    EXPECT_THROW(Divide("aten::remainder", overload, 7, 0), std::runtime_error);
    EXPECT_THROW(Divide("aten::floordiv", overload, 7, 0), std::exception);
  }
  EXPECT_THROW(Divide("aten::__round_to_zero_floordiv", "int", 7, 0),
               std::runtime_error);
}

TEST(CheckedDivisionsTest, TheLowestIntegerIsDividedByMinusOne) {
  EXPECT_EQ(Divide("aten::remainder", "int", kLowest, -1).toInt(), 0);
  EXPECT_EQ(Divide("aten::remainder", "", kLowest, -1).toInt(), 0);
  EXPECT_EQ(Divide("aten::gcd", "int", kLowest, -1).toInt(), 1);
  EXPECT_THROW(Divide("aten::floordiv", "int", kLowest, -1),
               std::runtime_error);
  EXPECT_THROW(Divide("aten::floordiv", "", kLowest, -1), std::runtime_error);
  EXPECT_THROW(Divide("aten::__round_to_zero_floordiv", "int", kLowest, -1),
               std::runtime_error);
}

TEST(CheckedDivisionsTest, OtherNumbersGiveWhatTheyGave) {
  EXPECT_EQ(Divide("aten::remainder", "int", -7, 3).toInt(), 2);
  EXPECT_EQ(Divide("aten::remainder", "", -7, 3).toInt(), 2);
  EXPECT_EQ(Divide("aten::remainder", "", 7.5, 2).toDouble(), 1.5);
  EXPECT_EQ(Divide("aten::floordiv", "int", -7, 2).toInt(), -4);
  EXPECT_EQ(Divide("aten::__round_to_zero_floordiv", "int", -7, 2).toInt(), -3);
  EXPECT_EQ(Divide("aten::gcd", "int", 12, 18).toInt(), 6);
}

}  // namespace
}  // namespace ns
