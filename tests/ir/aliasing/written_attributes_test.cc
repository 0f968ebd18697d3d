#include "ir/aliasing/written_attributes.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>

#include <string>

#include "gtest/gtest.h"
#include "tests/testing/modules.h"

namespace ns {
namespace {

using ::torch::jit::Module;

// Asks about `name` in a module of `type` whose forward has the line `body`.
bool IsWritten(const std::string& name, const std::string& body,
               const std::string& type = "Counter") {
  const Module module = MakeModule(
      type, "def forward(self, x: Tensor):\n    " + body + "\n    return x\n",
      {{"count", at::zeros({2})}, {"other", at::zeros({2})}, {"number", 1}});
  return WrittenAttributes(*module.get_method("forward").graph())
      .Contains(name);
}

TEST(WrittenAttributesTest, HasWhatIsAssigned) {
  EXPECT_TRUE(IsWritten("number", "self.number = 2"));
  EXPECT_FALSE(IsWritten("other", "self.number = 2"));
}

TEST(WrittenAttributesTest, HasWhatAnOpInPlaceWritesAndViewsOfIt) {
  EXPECT_TRUE(IsWritten("count", "self.count.add_(x)"));
  EXPECT_TRUE(IsWritten("count", "self.count[:1].add_(x)"));
  EXPECT_FALSE(IsWritten("other", "self.count.add_(self.other)"));
}

TEST(WrittenAttributesTest, EntersMethodsThatAreCalled) {
  const Module module = MakeModule("Counter", R"(
def step(self, x: Tensor):
    self.count.add_(x)
    return x

def forward(self, x: Tensor):
    return self.step(x)
)",
                                   {{"count", at::zeros({2})}});
  EXPECT_TRUE(WrittenAttributes(*module.get_method("forward").graph())
                  .Contains("count"));
}

TEST(WrittenAttributesTest, WhatObserversWriteInPlaceDoesNotCount) {
  EXPECT_FALSE(IsWritten("count", "self.count.add_(x)",
                         "torch.ao.quantization.observer.MinMaxObserver"));
}

}  // namespace
}  // namespace ns
