#include "ns/batches/output_tensors.h"

#include <ATen/Functions.h>
#include <ATen/core/Dict.h>
#include <ATen/core/jit_type.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "output[1] 3": the places of tensors, and the one value of each.
std::vector<std::string> Lines(const c10::IValue& value) {
  std::vector<std::string> lines;
  for (const auto& [place, tensor] : OutputTensors(value)) {
    lines.push_back(place + " " + std::to_string(tensor.item<int>()));
  }
  return lines;
}

at::Tensor Number(int number) { return at::full({1}, number); }

TEST(OutputTensorsTest, TensorIsTheOutput) {
  EXPECT_THAT(Lines(Number(3)), ElementsAre("output 3"));
}

TEST(OutputTensorsTest, LooksIntoTuplesAndLists) {
  const std::vector<at::Tensor> list = {Number(2), Number(3)};
  EXPECT_THAT(Lines(c10::ivalue::Tuple::create(
                  {c10::IValue(Number(1)), c10::IValue(list),
                   c10::IValue("text"), c10::IValue(Number(4))})),
              ElementsAre("output[0] 1", "output[1][0] 2", "output[1][1] 3",
                          "output[3] 4"));
}

TEST(OutputTensorsTest, LooksIntoDicts) {
  c10::Dict<std::string, at::Tensor> dict;
  dict.insert("logits", Number(1));
  dict.insert("aux", Number(2));
  EXPECT_THAT(Lines(dict),
              ElementsAre("output['logits'] 1", "output['aux'] 2"));
  c10::Dict<int64_t, at::Tensor> by_number;
  by_number.insert(7, Number(1));
  EXPECT_THAT(Lines(by_number), ElementsAre("output[7] 1"));
}

TEST(OutputTensorsTest, FieldsOfNamedTuplesHaveTheirNames) {
  const auto type = c10::TupleType::createNamed(
      c10::QualifiedName("Result"),
      std::vector<std::string>{"logits", "hidden"},
      std::vector<c10::TypePtr>{c10::TensorType::get(),
                                c10::TensorType::get()});
  EXPECT_THAT(Lines(c10::ivalue::Tuple::createNamed(
                  {c10::IValue(Number(1)), c10::IValue(Number(2))}, type)),
              ElementsAre("output.logits 1", "output.hidden 2"));
}

TEST(OutputTensorsTest, LeavesOutWhatIsNoTensor) {
  EXPECT_THAT(Lines(c10::IValue()), IsEmpty());
  EXPECT_THAT(Lines(c10::IValue(at::Tensor())), IsEmpty());
  EXPECT_THAT(Lines(c10::ivalue::Tuple::create({c10::IValue(2.5)})), IsEmpty());
}

TEST(PairByPlaceTest, PlacesOfOneModelAloneArePairedWithNothing) {
  const NamedTensors of_float = {
      {"b", Number(1)}, {"only", Number(2)}, {"a", Number(3)}};
  const NamedTensors of_quantized = {
      {"a", Number(4)}, {"new", Number(5)}, {"b", Number(6)}};
  const auto number = [](const at::Tensor& tensor) {
    return tensor.defined() ? std::to_string(tensor.item<int>()) : "-";
  };
  std::vector<std::string> lines;
  for (const auto& [place, x, y] : PairByPlace(of_float, of_quantized)) {
    lines.push_back(place + " " + number(x) + " " + number(y));
  }
  EXPECT_THAT(lines, ElementsAre("a 3 4", "new - 5", "b 1 6", "only 2 -"));
}

}  // namespace
}  // namespace ns
