#include "ir/base/number_of.h"

#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

TEST(NumberOfTest, ReadsNumbersAndTensorsOfOneElement) {
  EXPECT_EQ(OrThrow(NumberOf(0.5)), 0.5);
  EXPECT_EQ(OrThrow(NumberOf(int64_t{3})), 3);
  EXPECT_EQ(OrThrow(NumberOf(true)), 1);
  EXPECT_EQ(OrThrow(NumberOf(at::scalar_tensor(0.25))), 0.25);
  EXPECT_EQ(OrThrow(NumberOf(at::full({1, 1}, 7, at::kLong))), 7);
}

TEST(NumberOfTest, SaysWhatElseItWas) {
  EXPECT_THAT(MessageOf(NumberOf(at::zeros({3}))),
              HasSubstr("it returned a tensor of 3 elements"));
  EXPECT_THAT(MessageOf(NumberOf(at::Tensor())), HasSubstr("0 elements"));
  EXPECT_THAT(MessageOf(NumberOf(std::string("good"))),
              HasSubstr("it returned a value of type str"));
  EXPECT_THAT(MessageOf(NumberOf(c10::IValue())), HasSubstr("NoneType"));
}

TEST(NumberOfTest, TypesThatMayBeNumbers) {
  EXPECT_TRUE(MayBeNumber(*c10::FloatType::get()));
  EXPECT_TRUE(MayBeNumber(*c10::TensorType::get()));
  EXPECT_TRUE(MayBeNumber(*c10::AnyType::get()));
  EXPECT_FALSE(MayBeNumber(*c10::StringType::get()));
  EXPECT_FALSE(MayBeNumber(*c10::ListType::ofFloats()));
}

}  // namespace
}  // namespace ns
