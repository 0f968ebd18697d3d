#include "passes/instrument/guarded_shadow.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/verifier.h"
#include "ir/model/attach_attribute.h"
#include "passes/runtime/loggers/shadow_guard.h"
#include "tests/testing/ir.h"
#include "tests/testing/short_ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::torch::jit::Node;

// The sigmoid and the reshape are the shadow.
constexpr char kModel[] = R"IR(
graph(%x : Tensor, %n : int):
  %s : Tensor = aten::sigmoid(%x)
  %shape : int[] = prim::ListConstruct(%n, %n)
  %r : Tensor = aten::reshape(%s, %shape)
  %y : Tensor = aten::relu(%x)
  return (%y))IR";

std::string AttachGuard(ModelGraph& model) {
  return AttachAttribute(model.module(), "ns_shadow_guard_",
                         c10::make_intrusive<ShadowGuard>("layer"));
}

class GuardedShadowTest : public testing::Test {
 protected:
  GuardedShadowTest() : model_(ModelOf(kModel)), guard_(AttachGuard(model_)) {
    Node* end = NodeOf(model_.graph(), "aten::relu");
    Node* reshape = NodeOf(model_.graph(), "aten::reshape");
    GuardedShadow shadow = OrThrow(GuardedShadow::Mark(
        model_, guard_, NodeOf(model_.graph(), "aten::sigmoid"), end));
    // Two users, at one place.
    Node* behind = end->next();
    for (int i = 0; i < 2; ++i) {
      torch::jit::WithInsertPoint at(shadow.PlaceWhenMade(behind));
      model_.graph().insert(c10::aten::neg_, {reshape->output()});
    }
    marked_ = ShortIr(model_.graph());
    NS_EXPECT_OK(shadow.MoveToMethod(model_));
    NS_EXPECT_OK(VerifyGraph(model_.graph()));
  }

  ShadowGuardPtr Guard() {
    return model_.module().attr(guard_).toCustomClass<ShadowGuard>();
  }

  ModelGraph model_;
  std::string guard_;
  std::string marked_;
};

TEST_F(GuardedShadowTest, MovesTheShadowToAMethod) {
  EXPECT_EQ(marked_, R"IR(self.ns_shadow_guard_0.begin()
%2 = aten::sigmoid(%0)
%3 = prim::ListConstruct(%1, %1)
%4 = aten::reshape(%2, %3)
%5 = self.ns_shadow_guard_0.end()
%6 = aten::relu(%0)
prim::If(%5)
  then:
    %7 = aten::neg_(%4)
    %8 = aten::neg_(%4)
    -> ()
  else:
    -> ()
return (%6))IR");
  ExpectShortIr(model_.graph(), R"IR(
%2, %3 = ns::run_shadow(self.ns_shadow_guard_0, self, "ns_shadow_0", 1, %0, %1)
%4 = aten::__getitem__(%3, 0)
%5 = aten::relu(%0)
prim::If(%2)
  then:
    %6 = aten::neg_(%4)
    %7 = aten::neg_(%4)
    -> ()
  else:
    -> ()
return (%5))IR");
  ExpectShortIr(*model_.module().get_method("ns_shadow_0").graph(), R"IR(
%2 = aten::sigmoid(%0)
%3 = prim::ListConstruct(%1, %1)
%4 = aten::reshape(%2, %3)
%5 = prim::ListConstruct(%4)
return (%5))IR");
}

TEST_F(GuardedShadowTest, ModelRunsOnWhereTheShadowFails) {
  const at::Tensor x = at::arange(4, at::kFloat) - 2;
  EXPECT_TRUE(OrThrow(model_.Run({x, 2})).toTensor().equal(x.relu()));
  EXPECT_EQ(Guard()->reason(), "");
  EXPECT_TRUE(OrThrow(model_.Run({x, 3})).toTensor().equal(x.relu()));
  EXPECT_NE(Guard()->reason(), "");
  // A copy has methods of its own.
  Guard()->Clear();
  ModelGraph copy = OrThrow(model_.Clone());
  EXPECT_TRUE(OrThrow(copy.Run({x, 2})).toTensor().equal(x.relu()));
  EXPECT_EQ(Guard()->reason(), "");
}

TEST(GuardedShadowErrorTest, ListOfAShadowThatIsUsedOutsideIsAFault) {
  ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor):
  %zero : int = prim::Constant[value=0]()
  %list : Tensor[] = prim::ListConstruct(%x, %x)
  %y : Tensor = aten::cat(%list, %zero)
  return (%y))IR");
  GuardedShadow shadow = OrThrow(GuardedShadow::Mark(
      model, AttachGuard(model), NodeOf(model.graph(), "prim::ListConstruct"),
      NodeOf(model.graph(), "aten::cat")));
  const absl::Status status = shadow.MoveToMethod(model);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("is a List[Tensor], not a tensor"));
}

// What an arm inside an arm returns comes from outside, and nothing else uses
// it.
TEST(NestedGuardedShadowTest, TakesWhatInnerArmsReturn) {
  ModelGraph model = ModelOf(R"IR(
graph(%x : Tensor, %n : int, %p : bool, %q : bool):
  %one : int = prim::Constant[value=1]()
  %s : Tensor = prim::If(%p)
    block0():
      %k : int = prim::If(%q)
        block0():
          -> (%n)
        block1():
          -> (%one)
      %a : Tensor = aten::add(%x, %k, %one)
      -> (%a)
    block1():
      -> (%x)
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
  const std::string guard = AttachGuard(model);
  Node* const choice = NodeOf(model.graph(), "prim::If");
  Node* const end = NodeOf(model.graph(), "aten::relu");
  GuardedShadow shadow =
      OrThrow(GuardedShadow::Mark(model, guard, choice, end));
  {
    torch::jit::WithInsertPoint at(shadow.PlaceWhenMade(end->next()));
    model.graph().insert(c10::aten::neg_, {choice->output()});
  }
  NS_ASSERT_OK(shadow.MoveToMethod(model));
  NS_ASSERT_OK(VerifyGraph(model.graph()));
  const at::Tensor x = at::tensor({-1.0F, 2.0F});
  EXPECT_TRUE(
      OrThrow(model.Run({x, 3, true, true})).toTensor().equal(x.relu()));
  EXPECT_EQ(model.module().attr(guard).toCustomClass<ShadowGuard>()->reason(),
            "");
}

}  // namespace
}  // namespace ns
