#include "ir/json/json_keys.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/ir/json/mapped_structs.h"

namespace ns {
namespace {

using ::testing::ElementsAre;

TEST(JsonKeysTest, ListsWhateverMayBeWritten) {
  EXPECT_THAT(
      JsonPaths<Everything>(),
      ElementsAre("schema", "flag", "count", "figure", "text", "point",
                  "point.x", "point.y", "points", "points[].x", "points[].y",
                  "numbers", "names", "edges", "maybe", "maybe_points",
                  "maybe_points[].x", "maybe_points[].y", "maybe_text",
                  "maybe_flag", "list", "later", "range", "color", "object",
                  "object.inner", "sum", "nothing", "nothing.x", "nothing.y"));
}

}  // namespace
}  // namespace ns
