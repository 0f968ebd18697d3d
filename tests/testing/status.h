// Checks statuses in tests.
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

// Returns the value of `result`; when it has none, throws an exception, which
// fails the test.
template <typename T>
T OrThrow(absl::StatusOr<T> result) {
  return std::move(result).value();
}

// Returns the message of an error, "" for a value.
template <typename T>
std::string MessageOf(const absl::StatusOr<T>& result) {
  return std::string(result.status().message());
}

}  // namespace ns

#endif  // TESTS_TESTING_STATUS_H_
