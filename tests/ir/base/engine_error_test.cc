#include "ir/base/engine_error.h"

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "ir/base/refusal.h"
#include "ir/base/status.h"

namespace ns {
namespace {

TEST(EngineErrorTest, IsToldFromOtherErrors) {
  EXPECT_TRUE(IsEngineError(EngineError("no kernel")));
  EXPECT_FALSE(IsEngineError(absl::OkStatus()));
  EXPECT_FALSE(IsEngineError(Refusal("no kernel")));
  EXPECT_FALSE(IsEngineError(absl::InvalidArgumentError("no kernel")));
  EXPECT_FALSE(IsEngineError(absl::InternalError("no kernel")));
}

TEST(EngineErrorTest, StaysOneWhenItIsAnnotated) {
  const absl::Status status = Annotated("q.pt", EngineError("no kernel"));
  EXPECT_TRUE(IsEngineError(status));
  EXPECT_EQ(status.message(), "q.pt: no kernel");
}

TEST(EngineErrorTest, AsTheReasonOfARefusalIsNoneAnyMore) {
  const absl::Status status = RefusalOf("packing", EngineError("no kernel"));
  EXPECT_TRUE(IsRefusal(status));
  EXPECT_FALSE(IsEngineError(status));
}

}  // namespace
}  // namespace ns
