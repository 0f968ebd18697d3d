#include "ns/batches/to_batches.h"

#include <ATen/Functions.h>

#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

c10::IValue ListOf(const std::vector<c10::IValue>& elements) {
  c10::impl::GenericList list(c10::AnyType::get());
  for (const c10::IValue& element : elements) {
    list.push_back(element);
  }
  return list;
}

TEST(ToBatchTest, ATensorIsOneArgumentAndATupleSeveral) {
  const c10::IValue tensor = at::ones({2});
  EXPECT_THAT(OrThrow(ToBatch(tensor)).arguments, SizeIs(1));
  const Batch two = OrThrow(ToBatch(c10::ivalue::Tuple::create({tensor, 3})));
  ASSERT_THAT(two.arguments, SizeIs(2));
  EXPECT_EQ(two.arguments[1].toInt(), 3);
  EXPECT_THAT(two.keywords, IsEmpty());
}

TEST(ToBatchTest, ADictHasKeywords) {
  c10::Dict<std::string, at::Tensor> dict;
  dict.insert("mask", at::ones({2}));
  const Batch batch = OrThrow(ToBatch(dict));
  EXPECT_THAT(batch.arguments, IsEmpty());
  ASSERT_THAT(batch.keywords, SizeIs(1));
  EXPECT_EQ(batch.keywords.count("mask"), 1);
}

TEST(ToBatchTest, SaysWhatIsNoBatch) {
  EXPECT_THAT(MessageOf(ToBatch(3)), HasSubstr("a batch is a tensor"));
  c10::Dict<int64_t, at::Tensor> numbers;
  numbers.insert(1, at::ones({2}));
  EXPECT_THAT(MessageOf(ToBatch(numbers)), HasSubstr("names of arguments"));
  c10::Dict<std::string, at::Tensor> odd;
  odd.insert("1st", at::ones({2}));
  EXPECT_THAT(MessageOf(ToBatch(odd)), HasSubstr("1st"));
}

TEST(ToBatchesTest, AListHasABatchForEachElement) {
  EXPECT_THAT(OrThrow(ToBatches(ListOf({at::ones({1}), at::ones({2})}))),
              SizeIs(2));
  EXPECT_THAT(OrThrow(ToBatches(at::ones({2}))), SizeIs(1));
}

TEST(ToBatchesTest, NamesTheElementThatIsNone) {
  EXPECT_THAT(MessageOf(ToBatches(ListOf({at::ones({1}), 7}))),
              HasSubstr("element 1 "));
}

}  // namespace
}  // namespace ns
