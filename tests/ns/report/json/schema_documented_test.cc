// tools/README.md must name each member of the schemas.
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

// The text of the page from one heading to another.
std::string Between(const std::string& page, absl::string_view heading,
                    absl::string_view next) {
  const size_t start = page.find(absl::StrCat("\n", heading, "\n"));
  const size_t end = page.find(absl::StrCat("\n", next, "\n"), start);
  EXPECT_NE(start, std::string::npos) << heading;
  EXPECT_NE(end, std::string::npos) << next;
  return page.substr(start, end - start);
}

TEST(SchemaDocumentedTest, EachMemberOfAComparisonIsNamed) {
  const std::string page = OrThrow(ReadTextFile("tools/README.md", kPage));
  const std::string text =
      absl::StrCat(Between(page, "## Figures", "## JSON"),
                   Between(page, "### ns.compare/1", "### ns.diff/1"));
  for (const std::string& path : JsonPaths<ComparisonResult>()) {
    const std::string name = path.substr(path.rfind('.') + 1);
    EXPECT_TRUE(absl::StrContains(text, absl::StrCat("\"", name, "\"")) ||
                absl::StrContains(text, absl::StrCat("`", name, "`")))
        << path;
  }
}

}  // namespace
}  // namespace ns
