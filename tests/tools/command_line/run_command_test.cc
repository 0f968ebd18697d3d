#include "tools/command_line/run_command.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::internal::CaptureStderr;
using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStderr;
using ::testing::internal::GetCapturedStdout;

constexpr FlagSpec kFlags[] = {{"size", "N", "how large"}};
constexpr CommandSpec kSpec = {"grow",      "grows", "grow [--size=N]",
                               "Slowly.\n", kFlags,  "grow --size=3"};

// The exit code with `arguments`, of a command that sees `size`.
int ExitCode(std::vector<std::string> arguments, const absl::Status& result,
             std::string* size = nullptr) {
  std::vector<char*> argv = {nullptr};
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  return RunCommand(kSpec, static_cast<int>(argv.size()), argv.data(),
                    [&](const Flags& flags) {
                      if (size != nullptr) {
                        *size = flags.Get("size");
                      }
                      return result;
                    });
}

TEST(RunCommandTest, GivesTheFlagsToTheCommand) {
  std::string size;
  EXPECT_EQ(ExitCode({"--size=3"}, absl::OkStatus(), &size), 0);
  EXPECT_EQ(size, "3");
}

TEST(RunCommandTest, PrintsHelpInsteadOfRunning) {
  std::string size = "not run";
  CaptureStdout();
  EXPECT_EQ(ExitCode({"--help"}, absl::InternalError("ran"), &size), 0);
  EXPECT_THAT(GetCapturedStdout(), HasSubstr("grow --size=3"));
  EXPECT_EQ(size, "not run");
}

TEST(RunCommandTest, PrintsWhyTheCommandFailed) {
  CaptureStderr();
  EXPECT_EQ(ExitCode({}, absl::InternalError("no soil")), 1);
  EXPECT_EQ(GetCapturedStderr(), "grow: no soil\n");
}

TEST(RunCommandTest, RefusesUnknownFlags) {
  CaptureStderr();
  EXPECT_EQ(ExitCode({"--sise=3"}, absl::OkStatus()), 2);
  EXPECT_THAT(GetCapturedStderr(), StartsWith("grow: unknown flag --sise"));
}

}  // namespace
}  // namespace ns
