#include "ir/base/status.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

absl::StatusOr<int> HalfOf(int number) {
  if (number % 2 != 0) {
    return absl::InvalidArgumentError("odd");
  }
  return number / 2;
}

absl::StatusOr<int> QuarterOf(int number) {
  NS_ASSIGN_OR_RETURN(const int half, HalfOf(number));
  NS_RETURN_IF_ERROR(HalfOf(half).status());
  return half / 2;
}

TEST(StatusTest, EarlyReturnsHandOnTheFirstError) {
  EXPECT_EQ(QuarterOf(8).value(), 2);
  EXPECT_EQ(QuarterOf(7).status().message(), "odd");
  EXPECT_EQ(QuarterOf(6).status().message(), "odd");
}

TEST(StatusTest, AnnotatedErrorsKeepTheirCode) {
  const absl::Status status =
      Annotated("a.pt", absl::NotFoundError("no such file"));
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "a.pt: no such file");
  EXPECT_EQ(Annotated("half", HalfOf(1)).status(),
            absl::InvalidArgumentError("half: odd"));
}

TEST(StatusTest, WhatIsNoErrorIsNotAnnotated) {
  EXPECT_TRUE(Annotated("a.pt", absl::OkStatus()).ok());
  EXPECT_EQ(Annotated("half", HalfOf(4)).value(), 2);
}

}  // namespace
}  // namespace ns
