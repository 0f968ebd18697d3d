#include "ns/suite/non_finite_inputs.h"

#include <ATen/Functions.h>
#include <c10/util/complex.h>

#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/base/byte_stream.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

// forward(self, x, mask)
c10::FunctionSchema Schema() {
  const auto tensor = c10::TensorType::get();
  return c10::FunctionSchema(
      "forward", "",
      {c10::Argument("self", c10::AnyType::get()), c10::Argument("x", tensor),
       c10::Argument("mask", tensor)},
      {c10::Argument("", tensor)});
}

at::Tensor With(double value, at::ScalarType dtype = at::kFloat) {
  at::Tensor x = at::ones({2, 3}, dtype);
  x[1][2] = value;
  return x;
}

std::string WarningOf(std::vector<c10::IValue> arguments) {
  NonFiniteInputs inputs(Schema());
  inputs.Look({std::move(arguments), {}, ""}, 1);
  return inputs.Warning();
}

TEST(NonFiniteInputsTest, FindsNothingInFiniteInputs) {
  NonFiniteInputs inputs(Schema());
  inputs.Look({{at::ones({2}), at::empty({0, 3}), int64_t{3}, 1e300,
                std::string("nan"), c10::IValue(), at::Tensor(),
                at::ones({2}, at::kLong), at::ones({2}, at::kBool),
                at::quantize_per_tensor(at::ones({2}), 0.1, 0, at::kQUInt8)},
               {{"mask", at::ones({1})}},
               ""},
              0);
  EXPECT_FALSE(inputs.found());
  EXPECT_EQ(inputs.Warning(), "");
}

TEST(NonFiniteInputsTest, NamesBatchAndArgument) {
  EXPECT_EQ(WarningOf({at::ones({2}), With(NAN)}),
            "inputs hold NaN: batch 1, argument 'mask'; no culprit is named "
            "from their figures");
  EXPECT_THAT(WarningOf({With(INFINITY)}),
              HasSubstr("inputs hold infinity: batch 1, argument 'x';"));
  EXPECT_THAT(WarningOf({With(-INFINITY)}), HasSubstr("hold infinity:"));
  EXPECT_THAT(WarningOf({With(INFINITY), With(NAN)}),
              HasSubstr("inputs hold NaN and infinity: batch 1, argument 'x'; "
                        "batch 1, argument 'mask';"));
}

TEST(NonFiniteInputsTest, NanHidesNoInfinity) {
  at::Tensor x = With(NAN);
  x[0][0] = INFINITY;
  EXPECT_THAT(WarningOf({x}), HasSubstr("NaN and infinity"));
}

TEST(NonFiniteInputsTest, LooksIntoEveryDtypeAndContainer) {
  for (const auto dtype : {at::kHalf, at::kBFloat16, at::kDouble}) {
    EXPECT_THAT(WarningOf({With(NAN, dtype)}), HasSubstr("NaN")) << dtype;
  }
  const at::Tensor complex = at::complex(at::ones({2, 3}), With(NAN));
  c10::Dict<std::string, at::Tensor> dict;
  dict.insert("a", With(NAN));
  for (const c10::IValue& value : std::vector<c10::IValue>{
           complex, With(NAN).to_sparse(), With(NAN).t(), std::nan(""),
           std::vector<at::Tensor>{at::ones({1}), With(NAN)},
           std::make_tuple(at::ones({1}), With(NAN)), dict}) {
    EXPECT_THAT(WarningOf({value}), HasSubstr("NaN")) << value.tagKind();
  }
}

// As nn.Transformer.generate_square_subsequent_mask makes them.
TEST(NonFiniteInputsTest, AMaskIsNoAccident) {
  const at::Tensor mask = at::full({3, 3}, -INFINITY).triu(1);
  for (const auto dtype : {at::kFloat, at::kHalf, at::kDouble}) {
    EXPECT_EQ(WarningOf({at::ones({2}), mask.to(dtype)}), "") << dtype;
  }
  EXPECT_EQ(WarningOf({std::vector<at::Tensor>{mask, mask.t()}}), "");
  EXPECT_THAT(WarningOf({With(NAN), mask}), HasSubstr("inputs hold NaN: "));
}

TEST(NonFiniteInputsTest, WhatLooksLikeAMaskIsNone) {
  const at::Tensor mask = at::full({3, 3}, -INFINITY).triu(1);
  at::Tensor other = mask.clone();
  other[2][0] = -1;
  for (const at::Tensor& x : {mask.neg(), other, at::full({2}, -INFINITY),
                              at::complex(mask, at::zeros({3, 3}))}) {
    EXPECT_THAT(WarningOf({x}), HasSubstr("inputs hold infinity: ")) << x;
  }
  other[2][0] = NAN;
  EXPECT_THAT(WarningOf({other}), HasSubstr("NaN and infinity: "));
  EXPECT_THAT(WarningOf({-INFINITY}), HasSubstr("inputs hold infinity: "));
}

TEST(NonFiniteInputsTest, NamesKeywordsAndFiles) {
  NonFiniteInputs inputs(Schema());
  inputs.Look({{}, {{"mask", With(NAN)}, {"x", With(1)}}, "x.pt: batch 4"}, 7);
  EXPECT_THAT(inputs.Warning(), HasSubstr("x.pt: batch 4, argument 'mask';"));
}

TEST(NonFiniteInputsTest, ListsTheFirstFewInOneLine) {
  NonFiniteInputs inputs(Schema());
  for (int64_t i = 0; i < 5; ++i) {
    inputs.Look({{With(NAN)}, {}, ""}, i);
  }
  EXPECT_EQ(inputs.Warning(),
            "inputs hold NaN: batch 0, argument 'x'; batch 1, argument 'x'; "
            "batch 2, argument 'x' and 2 more; no culprit is named from their "
            "figures");
}

TEST(NonFiniteInputsTest, MergedPlacesAreThoseOfTheFirstBatches) {
  NonFiniteInputs whole(Schema());
  NonFiniteInputs merged(Schema());
  for (int64_t batch = 0; batch < 6; ++batch) {
    whole.Look({{With(NAN), at::Tensor()}, {}, ""}, batch);
  }
  for (const int64_t part : {1, 0}) {
    NonFiniteInputs inputs(Schema());
    for (int64_t batch = part; batch < 6; batch += 2) {
      inputs.Look({{With(NAN), at::Tensor()}, {}, ""}, batch);
    }
    ByteWriter writer;
    inputs.Save(writer);
    ByteReader reader(writer.bytes());
    merged.Merge(reader);
    EXPECT_TRUE(reader.AtEnd());
  }
  EXPECT_EQ(merged.Warning(), whole.Warning());
  EXPECT_THAT(merged.Warning(), HasSubstr("and 3 more"));
}

}  // namespace
}  // namespace ns
