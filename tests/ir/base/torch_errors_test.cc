#include "ir/base/torch_errors.h"

#include <c10/util/Exception.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(OneLineMessageTest, TakesFirstLineOfOtherExceptions) {
  EXPECT_EQ(OneLineMessage(std::runtime_error("first\nsecond")), "first");
}

TEST(OneLineMessageTest, SkipsBlankLines) {
  EXPECT_EQ(OneLineMessage(std::runtime_error("\n  \n  what\n")), "what");
}

TEST(OneLineMessageTest, DropsBacktraceOfTorchErrors) {
  try {
    TORCH_CHECK(false, "the message");
  } catch (const c10::Error& error) {
    EXPECT_EQ(OneLineMessage(error), "the message");
  }
}

TEST(OneLineMessageTest, TakesWhatAnOperatorThrewFromInterpreterTraceback) {
  EXPECT_EQ(OneLineMessage(std::runtime_error(
                "The following operation failed in the TorchScript "
                "interpreter.\nTraceback of TorchScript (most recent call "
                "last):\n  File \"model.py\", line 3\n    return x\n"
                "RuntimeError: sizes do not match\n")),
            "sizes do not match");
}

// What the interpreter says when `last` ends its message.
std::string Interpreted(const std::string& last) {
  return "The following operation failed in the TorchScript interpreter.\n"
         "Traceback of TorchScript (most recent call last):\n"
         "  File \"model.py\", line 3, in forward\n"
         "    raise ValueError('x: y')\n"
         "    ~~~~~~~~~~~~~~~~~~~~~~~~ <--- HERE\n" +
         last;
}

TEST(OneLineMessageTest, TakesWhatAModelRaised) {
  EXPECT_EQ(OneLineMessage(std::runtime_error(
                Interpreted("builtins.ValueError: only images\nshape: 3\n"))),
            "ValueError: only images");
  EXPECT_EQ(OneLineMessage(std::runtime_error(
                Interpreted("builtins.RuntimeError: only images\n"))),
            "only images");
  EXPECT_EQ(OneLineMessage(
                std::runtime_error(Interpreted("builtins.RuntimeError: \n"))),
            "RuntimeError");
}

TEST(OneLineMessageTest, DoesNotTakeCodeForTheMessage) {
  EXPECT_EQ(
      OneLineMessage(std::runtime_error(
          "The following operation failed in the TorchScript interpreter.\n"
          "Traceback of TorchScript (most recent call last):\n"
          "  File \"model.py\", line 3, in twice\n"
          "Note: x must have two columns.\n"
          "    return torch.mm(x, x)\n"
          "           ~~~~~~~~ <--- HERE\n"
          "RuntimeError: shapes cannot be multiplied\n")),
      "shapes cannot be multiplied");
}

TEST(OneLineMessageTest, LooksIntoNestedInterpreters) {
  EXPECT_EQ(OneLineMessage(std::runtime_error(Interpreted(
                "RuntimeError: " + Interpreted("RuntimeError: no rows\n")))),
            "no rows");
}

TEST(OneLineMessageTest, OtherTextWithColonsStaysAsItIs) {
  EXPECT_EQ(OneLineMessage(std::runtime_error("first\nRuntimeError: second")),
            "first");
}

TEST(OneLineMessageTest, LeavesOutWhatTheDispatcherGuesses) {
  EXPECT_EQ(OneLineMessage(std::runtime_error(
                "Could not run 'aten::f' with arguments from the 'X' backend. "
                "This could be because the operator doesn't exist for this "
                "backend. 'aten::f' is only available for these backends: "
                "[CPU, Meta].\n\nCPU: registered at f.cpp:1")),
            "Could not run 'aten::f' with arguments from the 'X' backend.");
}

TEST(OneLineMessageTest, LeavesOutWhatIsForDevelopersOfLibTorch) {
  const std::string assertion =
      "isTensor() INTERNAL ASSERT FAILED at \"../ATen/core/ivalue.h\":77, "
      "please report a bug to PyTorch. ";
  EXPECT_EQ(OneLineMessage(std::runtime_error(assertion + "Expected Tensor")),
            "Expected Tensor");
  EXPECT_EQ(OneLineMessage(std::runtime_error(assertion)),
            "a check of LibTorch failed: isTensor()");
}

TEST(OneLineMessageTest, LeavesOutAddresses) {
  EXPECT_EQ(OneLineMessage(std::runtime_error(
                "opcode 0xbe at 0x55d0c0ffee10: 190, then at 0x7f0000000000")),
            "opcode 0xbe at an address: 190, then at an address");
}

TEST(OneLineMessageTest, IsEmptyForEmptyMessage) {
  EXPECT_EQ(OneLineMessage(std::runtime_error("")), "");
}

TEST(CatchTorchErrorsTest, ReturnsOkOfCallWithoutResult) {
  int calls = 0;
  const absl::Status status = CatchTorchErrors("counting", [&] { ++calls; });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(calls, 1);
}

TEST(CatchTorchErrorsTest, ReturnsResult) {
  const absl::StatusOr<int> seven = CatchTorchErrors("x", [] { return 7; });
  ASSERT_TRUE(seven.ok());
  EXPECT_EQ(*seven, 7);
}

TEST(CatchTorchErrorsTest, MovesResult) {
  absl::StatusOr<std::unique_ptr<int>> five =
      CatchTorchErrors("x", [] { return std::make_unique<int>(5); });
  ASSERT_TRUE(five.ok());
  EXPECT_EQ(**five, 5);
}

TEST(CatchTorchErrorsTest, HandsOnAStatusAsItIs) {
  const absl::Status refused = absl::NotFoundError("no such op");
  const absl::Status status = CatchTorchErrors("x", [&] { return refused; });
  EXPECT_EQ(status, refused);
  const absl::StatusOr<int> number =
      CatchTorchErrors("x", [&]() -> absl::StatusOr<int> { return refused; });
  EXPECT_EQ(number.status(), refused);
}

TEST(CatchTorchErrorsTest, NamesWhatFailed) {
  const absl::StatusOr<int> failed = CatchTorchErrors(
      "reading", []() -> int { throw std::runtime_error("no such thing"); });
  EXPECT_EQ(failed.status(),
            absl::InvalidArgumentError("reading: no such thing"));
}

TEST(CatchTorchErrorsTest, LeavesItToTheCallerToNameWhatFailed) {
  const absl::StatusOr<int> failed = CatchTorchErrors(
      []() -> int { throw std::runtime_error("no such thing"); });
  EXPECT_EQ(failed.status(), absl::InvalidArgumentError("no such thing"));
}

}  // namespace
}  // namespace ns
