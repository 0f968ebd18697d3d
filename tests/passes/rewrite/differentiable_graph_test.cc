#include "passes/rewrite/differentiable_graph.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/step_through.h"

namespace ns {
namespace {

// Fails the test unless MakeDifferentiable turns `before` into `after`.
void ExpectMade(absl::string_view before, absl::string_view after) {
  const auto graph = GraphOf(before);
  MakeDifferentiable(*graph);
  ExpectIr(graph, after);
}

// Fails the test unless MakeDifferentiable leaves the graph as it is.
void ExpectKept(absl::string_view text) { ExpectMade(text, text); }

// Returns what `graph`, which returns one tensor, computes of `x`.
at::Tensor Computed(const torch::jit::Graph& graph, const at::Tensor& x) {
  return StepThrough(graph, {x.clone()},
                     [](const torch::jit::Node&, const auto&, const auto&) {})
      .at(0)
      .toTensor();
}

TEST(MakeDifferentiableTest, CopiesWhatIsWrittenAndComputesApart) {
  ExpectMade(R"IR(
graph(%x : Tensor, %z : Tensor, %zero : int, %one : int):
  %y : Tensor = aten::sigmoid(%x)
  %v : Tensor = aten::slice(%y, %zero, %zero, %one, %one)
  %1 : Tensor = aten::mul_(%v, %z)
  return (%y))IR",
             R"IR(
graph(%x : Tensor, %z : Tensor, %zero : int, %one : int):
  %s : Tensor = aten::sigmoid(%x)
  %none : NoneType = prim::Constant()
  %y : Tensor = aten::clone(%s, %none)
  %v : Tensor = aten::slice(%y, %zero, %zero, %one, %one)
  %none.2 : NoneType = prim::Constant()
  %c : Tensor = aten::clone(%v, %none.2)
  %p : Tensor = aten::mul(%c, %z)
  %false : bool = prim::Constant[value=0]()
  %1 : Tensor = aten::copy_(%v, %p, %false)
  return (%y))IR");
}

TEST(MakeDifferentiableTest, CopiesTheInputsOfAnOpThatAreWrittenLater) {
  ExpectMade(R"IR(
graph(%x : Tensor, %z : Tensor, %one : int):
  %y : Tensor = aten::sin(%x)
  %1 : Tensor = aten::add_(%x, %z, %one)
  return (%y))IR",
             R"IR(
graph(%x : Tensor, %z : Tensor, %one : int):
  %none : NoneType = prim::Constant()
  %c : Tensor = aten::clone(%x, %none)
  %y : Tensor = aten::sin(%c)
  %none.2 : NoneType = prim::Constant()
  %d : Tensor = aten::clone(%x, %none.2)
  %p : Tensor = aten::add(%d, %z, %one)
  %false : bool = prim::Constant[value=0]()
  %1 : Tensor = aten::copy_(%x, %p, %false)
  return (%y))IR");
}

TEST(MakeDifferentiableTest, WhatUsesTheResultOfAWriteUsesTheCopy) {
  ExpectMade(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::sin(%x)
  %1 : Tensor = aten::relu_(%y)
  return (%1))IR",
             R"IR(
graph(%x : Tensor):
  %s : Tensor = aten::sin(%x)
  %none : NoneType = prim::Constant()
  %y : Tensor = aten::clone(%s, %none)
  %none.2 : NoneType = prim::Constant()
  %c : Tensor = aten::clone(%y, %none.2)
  %p : Tensor = aten::relu(%c)
  %false : bool = prim::Constant[value=0]()
  %1 : Tensor = aten::copy_(%y, %p, %false)
  return (%1))IR");
}

TEST(MakeDifferentiableTest, KeepsAGraphWhenItWritesNothing) {
  ExpectKept(R"IR(
graph(%x : Tensor, %z : Tensor, %one : int):
  %y : Tensor = aten::sin(%x)
  %1 : Tensor = aten::add(%y, %z, %one)
  return (%1))IR");
}

TEST(MakeDifferentiableTest, KeepsTensorsWhenNoWriteReachesThem) {
  ExpectMade(R"IR(
graph(%x : Tensor, %z : Tensor):
  %a : Tensor = aten::cos(%z)
  %b : Tensor = aten::tan(%a)
  %1 : Tensor = aten::relu_(%x)
  return (%b))IR",
             R"IR(
graph(%x : Tensor, %z : Tensor):
  %a : Tensor = aten::cos(%z)
  %b : Tensor = aten::tan(%a)
  %none : NoneType = prim::Constant()
  %c : Tensor = aten::clone(%x, %none)
  %p : Tensor = aten::relu(%c)
  %false : bool = prim::Constant[value=0]()
  %1 : Tensor = aten::copy_(%x, %p, %false)
  return (%b))IR");
}

TEST(MakeDifferentiableTest, KeepsAWriteWhenNoOpComputesItApart) {
  ExpectKept(R"IR(
graph(%x : Tensor, %z : Tensor, %no : bool):
  %1 : Tensor = aten::copy_(%x, %z, %no)
  return (%x))IR");
}

TEST(MakeDifferentiableTest, FollowsWritesInControlFlow) {
  ExpectMade(R"IR(
graph(%x : Tensor, %flag : bool):
  %y : Tensor = aten::sin(%x)
  prim::If(%flag)
    block0():
      %1 : Tensor = aten::relu_(%y)
      -> ()
    block1():
      -> ()
  return (%y))IR",
             R"IR(
graph(%x : Tensor, %flag : bool):
  %s : Tensor = aten::sin(%x)
  %none : NoneType = prim::Constant()
  %y : Tensor = aten::clone(%s, %none)
  prim::If(%flag)
    block0():
      %none.2 : NoneType = prim::Constant()
      %c : Tensor = aten::clone(%y, %none.2)
      %p : Tensor = aten::relu(%c)
      %false : bool = prim::Constant[value=0]()
      %1 : Tensor = aten::copy_(%y, %p, %false)
      -> ()
    block1():
      -> ()
  return (%y))IR");
}

// The gradient of a sigmoid is computed from its output, which is written to.
TEST(MakeDifferentiableTest, AutogradTakesTheGraphThatItRefused) {
  const auto graph = GraphOf(R"IR(
graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %two : float = prim::Constant[value=2.]()
  %y : Tensor = aten::sigmoid(%x)
  %v : Tensor = aten::select(%y, %zero, %zero)
  %1 : Tensor = aten::mul_(%v, %two)
  return (%y))IR");
  const at::Tensor x = at::randn({2, 3});
  const at::Tensor expected = Computed(*graph, x);
  at::Tensor refused = x.clone().requires_grad_();
  EXPECT_THROW(Computed(*graph, refused).sum().backward(), c10::Error);

  MakeDifferentiable(*graph);
  EXPECT_TRUE(at::equal(Computed(*graph, x), expected));
  at::Tensor taken = x.clone().requires_grad_();
  Computed(*graph, taken).sum().backward();
  at::Tensor gradient = at::sigmoid(x) * (1 - at::sigmoid(x));
  gradient[0] *= 2;
  EXPECT_TRUE(at::allclose(taken.grad(), gradient));
}

}  // namespace
}  // namespace ns
