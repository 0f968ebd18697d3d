#include "ir/model/module_state.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "tests/testing/modules.h"

namespace ns {
namespace {

using ::torch::jit::Module;

// Counts its calls, and adds up what it was given, times its weight.
Module Cache() {
  Module cache = MakeModule("Cache",
                            "def forward(self, x: Tensor) -> Tensor:\n"
                            "  self.calls += 1\n"
                            "  self.sum.add_(x * self.weight)\n"
                            "  return self.sum\n",
                            {{"sum", at::zeros({2})},
                             {"weight", at::ones({2})},
                             {"calls", int64_t{0}}});
  return cache;
}

Module Model() {
  return MakeModule("Model",
                    "def forward(self, x: Tensor) -> Tensor:\n"
                    "  return self.cache.forward(x)\n",
                    {}, {{"cache", Cache()}});
}

at::Tensor SumOf(const Module& model) {
  return model.attr("cache").toModule().attr("sum").toTensor();
}

int64_t CallsOf(const Module& model) {
  return model.attr("cache").toModule().attr("calls").toInt();
}

TEST(ModuleStateTest, IsWhatItWasBeforeTheRuns) {
  Module model = Model();
  model.forward({at::ones({2})});
  ModuleState state(model);
  model.forward({at::ones({2})});
  ASSERT_TRUE(SumOf(model).equal(at::full({2}, 2.0)));
  std::move(state).Restore();
  EXPECT_TRUE(SumOf(model).equal(at::ones({2})));
  EXPECT_EQ(CallsOf(model), 1);
  model.forward({at::ones({2})});
  EXPECT_TRUE(SumOf(model).equal(at::full({2}, 2.0)));
}

TEST(ModuleStateTest, CopiesShareNothingThatIsWrittenTo) {
  Module model = Model();
  const at::Tensor before = SumOf(model);
  CopyModuleState(model);
  model.forward({at::ones({2})});
  EXPECT_TRUE(before.equal(at::zeros({2})));
  EXPECT_TRUE(SumOf(model).equal(at::ones({2})));
}

// The cache has two paths, and shares its sum with a buffer that is visited
// between them.
TEST(ModuleStateTest, CopiesOfOneTensorStayOne) {
  const Module cache = Cache();
  Module model = MakeModule("Model",
                            "def forward(self, x: Tensor) -> Tensor:\n"
                            "  return self.a.forward(x)\n",
                            {{"between", cache.attr("sum").toTensor()}},
                            {{"a", cache}, {"b", cache}});
  CopyModuleState(model);
  model.forward({at::ones({2})});
  EXPECT_TRUE(model.attr("between").toTensor().is_same(
      model.attr("a").toModule().attr("sum").toTensor()));
}

TEST(ModuleStateTest, NamesWhatAGradientWouldGoOnThrough) {
  const absl::Status error = absl::InternalError(
      "Trying to backward through the graph a second time (...)");
  Module model = Model();
  CopyModuleState(model);
  EXPECT_EQ(NamingState(model, error, "give up"), error);
  for (const bool has_gradient : {false, true}) {
    model.forward({at::ones({2}).requires_grad_(has_gradient)});
    EXPECT_EQ(NamingState(model, error, "give up").message(),
              "the model keeps what it computes in 'cache.sum' from run to "
              "run, and no gradient goes back through that; give up");
  }
  const absl::Status other = absl::InternalError("not differentiable");
  EXPECT_EQ(NamingState(model, other, "give up"), other);
  EXPECT_EQ(NamingState(model, absl::OkStatus(), "give up"), absl::OkStatus());
}

}  // namespace
}  // namespace ns
