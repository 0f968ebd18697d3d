#include "tools/command_line/file_identity.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/hierarchy/make_module.h"
#include "tests/testing/status.h"
#include "tests/testing/temporary_file.h"

namespace ns {
namespace {

using ::testing::MatchesRegex;
using ::testing::StartsWith;

// The file at `path` with `content`.
std::string IdentityOf(const std::string& path, const std::string& content) {
  WriteFile(path, content);
  return OrThrow(FileIdentity(path));
}

TEST(FileIdentityTest, TellsOneTextFromAnotherOfItsSize) {
  const std::string path = TemporaryPath("qconfig.json");
  const std::string of_first = IdentityOf(path, R"({"a": 0.01})");
  EXPECT_THAT(of_first, MatchesRegex(".*json \\(11 bytes, [0-9a-f]{8}\\)"));
  EXPECT_EQ(IdentityOf(path, R"({"a": 0.01})"), of_first);
  EXPECT_NE(IdentityOf(path, R"({"a": 0.05})"), of_first);
}

TEST(FileIdentityTest, IsOfAllBytes) {
  const std::string path = TemporaryPath("long");
  std::string content(200000, 'x');
  const std::string of_first = IdentityOf(path, content);
  content.back() = 'y';
  EXPECT_NE(IdentityOf(path, content), of_first);
}

TEST(FileIdentityTest, TellsOneModelFromAnother) {
  const std::string path = TemporaryPath("model.pt");
  const auto identity_of = [&](int64_t count) {
    torch::jit::Module module = NewModule("M");
    module.register_attribute("count", c10::IntType::get(), count);
    module.save(path);
    return OrThrow(FileIdentity(path));
  };
  const std::string of_first = identity_of(3);
  EXPECT_EQ(identity_of(3), of_first);
  EXPECT_NE(identity_of(4), of_first);
}

TEST(FileIdentityTest, NamesTheFileThatCannotBeRead) {
  const std::string path = TemporaryPath("missing");
  EXPECT_THAT(MessageOf(FileIdentity(path)), StartsWith(path + ": "));
}

}  // namespace
}  // namespace ns
