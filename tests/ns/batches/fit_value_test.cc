#include "ns/batches/fit_value.h"

#include <ATen/Functions.h>
#include <ATen/core/jit_type.h>

#include <string>
#include <tuple>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

TEST(FitValueTest, DescribesWithAnArticle) {
  EXPECT_EQ(Described(at::ones({1})), "a tensor");
  EXPECT_EQ(Described(c10::IValue(1)), "an int");
}

TEST(FitValueTest, MessageStaysOnOneLine) {
  EXPECT_EQ(OneLine("two\nlines").find('\n'), std::string::npos);
}

TEST(FitValueTest, IntBecomesAFloatWhereThatIsDeclared) {
  EXPECT_EQ(OrThrow(FitValue(c10::IValue(2), c10::FloatType::get())).toDouble(),
            2.0);
}

TEST(FitValueTest, ListGetsTheDeclaredElementType) {
  const at::Tensor x = at::ones({2});
  c10::impl::GenericList untyped(c10::AnyType::get());
  untyped.push_back(x);
  const c10::IValue fitted =
      OrThrow(FitValue(c10::IValue(untyped), c10::ListType::ofTensors()));
  ASSERT_TRUE(fitted.isTensorList());
  EXPECT_TRUE(fitted.toTensorVector().at(0).is_same(x));
}

TEST(FitValueTest, TupleFitsAList) {
  const c10::IValue fitted = OrThrow(
      FitValue(c10::IValue(std::make_tuple(at::ones({1}), at::ones({2}))),
               c10::ListType::ofTensors()));
  EXPECT_EQ(fitted.toTensorVector().size(), 2);
}

TEST(FitValueTest, MisfitNamesTheElement) {
  EXPECT_THAT(MessageOf(FitValue(at::ones({1}), c10::ListType::ofTensors())),
              HasSubstr("is a tensor where List[Tensor] is declared"));
  EXPECT_THAT(MessageOf(FitValue(c10::IValue(std::make_tuple(at::ones({1}), 3)),
                                 c10::ListType::ofTensors())),
              HasSubstr("at element 1 is an int where Tensor is declared"));
}

}  // namespace
}  // namespace ns
