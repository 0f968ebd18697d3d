#include "ir/flatten/pad_nested_tensors.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/flatten/skip_fast_paths.h"
#include "tests/testing/ir.h"

namespace ns {
namespace {

constexpr char kEncoder[] = R"IR(
graph(%src : Tensor, %padding : Tensor, %nest : bool):
  %none : NoneType = prim::Constant()
  %no : bool = prim::Constant[value=0]()
  %zero : float = prim::Constant[value=0.]()
  %x : Tensor, %mask : Tensor? = prim::If(%nest)
    block0():
      %kept : Tensor = aten::logical_not(%padding)
      %nested : Tensor = aten::_nested_tensor_from_mask(%src, %kept, %no)
      -> (%nested, %none)
    block1():
      -> (OTHER, %padding)
  %y : Tensor = aten::relu(%x)
  %all : Tensor = prim::If(%nest)
    block0():
      %padded : Tensor = aten::to_padded_tensor(%y, %zero, %none)
      -> (%padded)
    block1():
      -> (%y)
  %both : (Tensor, Tensor?) = prim::TupleConstruct(%all, %mask)
  return (%both))IR";

std::string Encoder(absl::string_view other) {
  return absl::StrReplaceAll(kEncoder, {{"OTHER", other}});
}

std::vector<c10::IValue> ResultsOf(
    const std::shared_ptr<torch::jit::Graph>& graph,
    std::vector<c10::IValue> inputs) {
  torch::jit::GraphFunction function("f", graph->copy(), nullptr);
  return function(std::move(inputs)).toTupleRef().elements();
}

TEST(PadNestedTensorsTest, GivesWhatTheNestedTensorGave) {
  const auto graph = GraphOf(Encoder("%src"));
  ASSERT_TRUE(PadNestedTensors(*graph));
  graph->lint();
  EXPECT_FALSE(MakesNestedTensors(*graph));
  const at::Tensor x = at::arange(1, 25).to(at::kFloat).reshape({2, 4, 3});
  const at::Tensor padding = at::zeros({2, 4}, at::kBool);
  padding.select(0, 0).slice(0, 2).fill_(true);
  padding.select(0, 1).slice(0, 3).fill_(true);
  const auto results = ResultsOf(graph, {x, padding, true});
  // The longest sequence has three steps; the first one has two.
  at::Tensor expected = x.slice(1, 0, 3).clone();
  expected.select(0, 0).slice(0, 2).zero_();
  EXPECT_TRUE(at::equal(results[0].toTensor(), expected));
  // The layers get the mask that they would get without nested tensors.
  EXPECT_TRUE(at::equal(results[1].toTensor(), padding));
}

TEST(PadNestedTensorsTest, KeepsTensorWhenTheOtherArmGivesAnother) {
  const std::string text = Encoder("%padding");
  const auto graph = GraphOf(text);
  EXPECT_FALSE(PadNestedTensors(*graph));
  ExpectIr(graph, text);
}

TEST(PadNestedTensorsTest, KeepsTensorThatIsPaddedToAnotherSize) {
  const std::string text = absl::StrReplaceAll(
      Encoder("%src"), {{"%nest : bool)", "%nest : bool, %size : int[])"},
                        {"(%y, %zero, %none)", "(%y, %zero, %size)"}});
  const auto graph = GraphOf(text);
  EXPECT_FALSE(PadNestedTensors(*graph));
  ExpectIr(graph, text);
}

TEST(PadNestedTensorsTest, KeepsTensorThatIsNeverPadded) {
  const std::string text = absl::StrReplaceAll(
      Encoder("%src"),
      {{"aten::to_padded_tensor(%y, %zero, %none)", "aten::neg(%y)"}});
  const auto graph = GraphOf(text);
  EXPECT_FALSE(PadNestedTensors(*graph));
  ExpectIr(graph, text);
}

}  // namespace
}  // namespace ns
