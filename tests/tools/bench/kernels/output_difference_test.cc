#include "tools/bench/kernels/output_difference.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ns::bench {
namespace {

using ::testing::ElementsAre;

TEST(OutputDifferenceTest, EqualTensorsAreSaidToBe) {
  const at::Tensor x = at::arange(4).to(at::kFloat);
  EXPECT_THAT(OutputDifferences(x, x.clone()), ElementsAre("equal values"));
}

TEST(OutputDifferenceTest, FloatsHaveTheirSqnr) {
  const at::Tensor x = at::ones({100});
  EXPECT_THAT(OutputDifferences(x, x + 0.1), ElementsAre("SQNR 20.0 dB"));
}

TEST(OutputDifferenceTest, CodesAreCounted) {
  const at::Tensor x = at::tensor({10.0F, 10.0F, 10.0F, 10.0F});
  const at::Tensor y = at::tensor({10.0F, 11.0F, 13.0F, 10.0F});
  EXPECT_THAT(OutputDifferences(at::quantize_per_tensor(x, 1, 5, at::kQUInt8),
                                at::quantize_per_tensor(y, 1, 5, at::kQUInt8)),
              ElementsAre("2 of 4 codes differ, by at most 3; SQNR 16.0 dB"));
}

TEST(OutputDifferenceTest, TensorsOfATupleAreComparedInOrder) {
  const at::Tensor x = at::ones({2});
  const c10::IValue a = c10::ivalue::Tuple::create(x, at::zeros({3}));
  const c10::IValue b = c10::ivalue::Tuple::create(x, at::zeros({4}));
  EXPECT_THAT(OutputDifferences(a, b),
              ElementsAre("equal values", "sizes [3] and [4]"));
}

TEST(OutputDifferenceTest, OtherNumbersOfTensorsAreSaid) {
  const at::Tensor x = at::ones({2});
  EXPECT_THAT(OutputDifferences(x, c10::ivalue::Tuple::create(x, x)),
              ElementsAre("1 and 2 tensors"));
}

TEST(OutputDifferenceTest, NoElementsAreEqual) {
  const at::Tensor x =
      at::quantize_per_tensor(at::empty({0}), 1, 0, at::kQUInt8);
  EXPECT_THAT(OutputDifferences(x, x),
              ElementsAre("0 of 0 codes differ, by at most 0; equal values"));
}

}  // namespace
}  // namespace ns::bench
