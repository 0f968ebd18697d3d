#include "passes/instrument/shadow_inserter.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/passes/instrument/shadowed.h"
#include "tests/testing/ir.h"
#include "tests/testing/modules.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using ShadowInserterTest = ShadowedTest;

// The float model splits its input as the quantized one does not.
TEST_F(ShadowInserterTest, AShadowThatFailsIsLeftOutWithItsLoggers) {
  const auto splits = [](const std::string& sizes) {
    return OrThrow(ModelGraph::FromModule(
        MakeModule("Model",
                   "def forward(self, x: Tensor) -> Tensor:\n"
                   "    y = torch.relu(x)\n"
                   "    return torch.split_with_sizes(y, " +
                       sizes + ")[0]\n")));
  };
  for (const bool guard : {true, false}) {
    LoggerOptions options;
    options.guard_shadows = guard;
    options.should_log_inputs = true;
    Shadowed model(splits("[1, 1]"), splits("[1, 3]"), options);
    NS_ASSERT_OK(model.status);
    EXPECT_THAT(model.not_shadowed, IsEmpty());
    EXPECT_THAT(FailedShadows(model.b.module()), IsEmpty());
    const auto output = model.b.Run({x_});
    EXPECT_EQ(output.ok(), guard);
    if (!guard) {
      continue;
    }
    EXPECT_TRUE(output->toTensor().equal(x_.relu().slice(0, 0, 1)));
    const auto failed = FailedShadows(model.b.module());
    ASSERT_THAT(failed, SizeIs(1));
    EXPECT_EQ(failed[0].name, "split_with_sizes");
    EXPECT_THAT(failed[0].reason, HasSubstr("split_with_sizes expects"));
    EXPECT_THAT(model.Values("split_with_sizes", "float"), IsEmpty());
    EXPECT_THAT(model.Values("split_with_sizes", "int8"), IsEmpty());
    EXPECT_THAT(model.Values("relu", "float"), SizeIs(1));
    // The second run does not try it again.
    model.Run({x_});
    for (const char* side : {"float", "int8"}) {
      EXPECT_THAT(model.Records("split_with_sizes", side, kNodeInputResult)
                      .at(0)
                      .values,
                  SizeIs(1));
    }
    EXPECT_THAT(model.Values("relu", "float"), SizeIs(2));
  }
}

}  // namespace
}  // namespace ns
