#include "ir/model/rewrite_and_compare.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

ModelGraph Model() {
  return ModelOf(R"IR(
graph(%x : Tensor):
  %y : Tensor = aten::relu(%x)
  return (%y))IR");
}

TEST(RewriteAndCompareTest, TellsWhetherTheTextChanged) {
  ModelGraph model = Model();
  EXPECT_FALSE(OrThrow(RewriteAndCompare("doing nothing", model,
                                         [] { return absl::OkStatus(); })));
  EXPECT_TRUE(OrThrow(RewriteAndCompare("returning the input", model, [&] {
    model.graph().return_node()->replaceInput(0, model.graph().inputs()[1]);
    return absl::OkStatus();
  })));
}

TEST(RewriteAndCompareTest, ErrorsAreThoseOfTheRewrite) {
  ModelGraph model = Model();
  EXPECT_THAT(
      MessageOf(RewriteAndCompare(
          "failing", model, [] { return absl::InvalidArgumentError("no"); })),
      HasSubstr("no"));
  EXPECT_THAT(MessageOf(RewriteAndCompare(
                  "failing", model,
                  []() -> absl::Status { TORCH_CHECK(false, "thrown"); })),
              AllOf(HasSubstr("failing"), HasSubstr("thrown")));
}

}  // namespace
}  // namespace ns
