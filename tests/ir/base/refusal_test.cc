#include "ir/base/refusal.h"

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(RefusalTest, IsToldFromErrors) {
  EXPECT_TRUE(IsRefusal(Refusal("it asks for a type")));
  EXPECT_FALSE(IsRefusal(absl::OkStatus()));
  EXPECT_FALSE(IsRefusal(absl::InvalidArgumentError("no such op")));
}

TEST(RefusalOfTest, TurnsAnErrorIntoTheReasonThatSomethingFailed) {
  EXPECT_EQ(RefusalOf("folding it fails", absl::InternalError("no memory")),
            Refusal("folding it fails: no memory"));
}

TEST(RefusalOfTest, LeavesRefusalsAndOkAsTheyAre) {
  const absl::Status refusal = Refusal("it asks for a type");
  EXPECT_EQ(RefusalOf("folding it fails", refusal), refusal);
  EXPECT_TRUE(RefusalOf("folding it fails", absl::OkStatus()).ok());
}

}  // namespace
}  // namespace ns
