// The manual (tools/docs) must name each member of the schemas.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/files/read_text_file.h"
#include "ir/json/json_keys.h"
#include "ns/report/json/comparison_map.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

constexpr TextFileKind kPage = {"page", "a text editor", size_t{1} << 20};

std::string Page(absl::string_view name) {
  return OrThrow(ReadTextFile(absl::StrCat("tools/docs/", name), kPage));
}

TEST(SchemaDocumentedTest, EachMemberOfAComparisonIsNamed) {
  const std::string text =
      absl::StrCat(Page("figures.md"), Page("formats_compare.md"));
  for (const std::string& path : JsonPaths<ComparisonResult>()) {
    const std::string name = path.substr(path.rfind('.') + 1);
    EXPECT_TRUE(absl::StrContains(text, absl::StrCat("\"", name, "\"")) ||
                absl::StrContains(text, absl::StrCat("`", name, "`")))
        << path;
  }
}

}  // namespace
}  // namespace ns
