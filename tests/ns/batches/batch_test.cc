#include "ns/batches/batch.h"

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(BatchTest, IsCalledByItsSourceOrItsPlace) {
  Batch batch;
  EXPECT_EQ(BatchName(batch, 3), "batch 3");
  batch.source = "inputs.pt: batch 1";
  EXPECT_EQ(BatchName(batch, 3), "inputs.pt: batch 1");
}

}  // namespace
}  // namespace ns
