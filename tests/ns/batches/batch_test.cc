#include "ns/batches/batch.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(BatchTest, IsCalledByItsSourceOrItsPlace) {
  Batch batch;
  EXPECT_EQ(BatchName(batch, 3), "batch 3");
  batch.source = "inputs.pt: batch 1";
  EXPECT_EQ(BatchName(batch, 3), "inputs.pt: batch 1");
}

// The rows are views of one storage, as torch.save keeps them.
TEST(BatchTest, CopiesHaveAllTensors) {
  const at::Tensor x = at::rand({3, 2});
  Batch batch{{x.unbind()}, {{"rows", x.unbind()}}};
  const Batch copy = Copied(batch);
  for (int64_t i = 0; i < 3; ++i) {
    const auto at = static_cast<size_t>(i);
    EXPECT_TRUE(copy.arguments[0].toTensorVector()[at].equal(x[i]));
    EXPECT_TRUE(copy.keywords.at("rows").toTensorVector()[at].equal(x[i]));
  }
}

}  // namespace
}  // namespace ns
