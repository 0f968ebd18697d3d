#include "passes/instrument/pair/attached_comparer.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include "gtest/gtest.h"
#include "ir/model/model_graph.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr char kRelu[] = R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR";

class AttachedComparerTest : public testing::Test {
 protected:
  // Compares what relu takes with what it makes.
  void Call(AttachedComparer& comparer) {
    torch::jit::Node* relu = NodeOf(model_.graph(), "aten::relu");
    NS_ASSERT_OK(comparer.Call(model_, "compare",
                               {relu->input(0), relu->output()}, relu->next()));
  }

  ModelGraph model_ = ModelOf(kRelu);
  int attached_ = 0;
};

TEST_F(AttachedComparerTest, CallsOneObjectOfTheModel) {
  AttachedComparer comparer({}, attached_);
  Call(comparer);
  Call(comparer);
  EXPECT_EQ(attached_, 1);
  ExpectShortIr(model_.graph(), R"IR(
%1 = aten::relu(%0)
self.ns_comparer_0.compare(%0, %1)
self.ns_comparer_0.compare(%0, %1)
return (%1))IR");
  OrThrow(model_.Run({at::ones({3})}));
  EXPECT_EQ(comparer.object()->record().pooled.sums.count, 6);
}

TEST_F(AttachedComparerTest, ComparersHaveNamesOfTheirOwn) {
  AttachedComparer first({}, attached_);
  AttachedComparer second({}, attached_);
  Call(second);
  Call(first);
  ExpectShortIr(model_.graph(), R"IR(
%1 = aten::relu(%0)
self.ns_comparer_1.compare(%0, %1)
self.ns_comparer_0.compare(%0, %1)
return (%1))IR");
}

TEST_F(AttachedComparerTest, HasNoObjectUnlessCalled) {
  AttachedComparer comparer({}, attached_);
  EXPECT_EQ(comparer.object(), nullptr);
  EXPECT_EQ(attached_, 0);
}

TEST_F(AttachedComparerTest, TakesBackItsCalls) {
  AttachedComparer comparer({}, attached_);
  Call(comparer);
  Call(comparer);
  comparer.Remove();
  EXPECT_EQ(comparer.object(), nullptr);
  ExpectShortIr(model_.graph(), R"IR(
%1 = aten::relu(%0)
return (%1))IR");
}

}  // namespace
}  // namespace ns
