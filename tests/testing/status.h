// Statuses in tests.
#ifndef TESTS_TESTING_STATUS_H_
#define TESTS_TESTING_STATUS_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

#define NS_EXPECT_OK(expr)                                   \
  do {                                                       \
    const absl::Status ns_expected = (expr);                 \
    EXPECT_TRUE(ns_expected.ok()) << ns_expected.ToString(); \
  } while (false)

#define NS_ASSERT_OK(expr)                                   \
  do {                                                       \
    const absl::Status ns_expected = (expr);                 \
    ASSERT_TRUE(ns_expected.ok()) << ns_expected.ToString(); \
  } while (false)

namespace ns {

// The value of `result`; an exception, which fails the test, when it has none.
template <typename T>
T OrThrow(absl::StatusOr<T> result) {
  return std::move(result).value();
}

// The message of an error, "" of a value.
template <typename T>
std::string MessageOf(const absl::StatusOr<T>& result) {
  return std::string(result.status().message());
}

}  // namespace ns

#endif  // TESTS_TESTING_STATUS_H_
