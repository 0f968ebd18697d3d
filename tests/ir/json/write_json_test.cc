#include "ir/json/write_json.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ir/json/mapped_structs.h"

namespace ns {
namespace {

TEST(WriteJsonTest, WritesMembersInTheOrderOfTheMap) {
  EXPECT_EQ(WriteJson(Full()), R"({
  "schema": "test/1",
  "flag": true,
  "count": -3,
  "figure": 30.0,
  "text": "a\"b",
  "point": {
    "x": -1,
    "y": 2
  },
  "points": [
    {
      "x": 3,
      "y": 4
    }
  ],
  "numbers": [
    1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0,
    0.5
  ],
  "names": [
    "a",
    "b"
  ],
  "edges": [
    [0, 1]
  ],
  "maybe": 0.25,
  "maybe_points": [],
  "maybe_text": "c",
  "maybe_flag": true,
  "list": [],
  "later": 7.0,
  "range": [-0.5, 1.5],
  "color": "blue",
  "object": {
    "inner": 9
  },
  "mae": 0.125,
  "psnr": 40.0,
  "sum": 1.0
}
)");
}

TEST(WriteJsonTest, LeavesOutWhatIsEmpty) {
  const std::string json = WriteJson(Everything());
  for (const char* key : {"maybe", "maybe_points", "maybe_text", "maybe_flag",
                          "list", "nothing"}) {
    EXPECT_EQ(json.find(std::string("\"") + key + "\""), std::string::npos)
        << key;
  }
}

TEST(WriteJsonTest, WritesTenNumbersOnALine) {
  const std::vector<std::vector<int64_t>> lists = {
      {},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
      {0, 1, 2, 3, 4, 5, 6, 7, 8, std::numeric_limits<int64_t>::min(), 10}};
  EXPECT_EQ(WriteJson(lists), R"([
  [],
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [
    0, 1, 2, 3, 4, 5, 6, 7, 8, -9223372036854775808,
    10
  ]
]
)");
}

TEST(WriteJsonTest, NumbersThatJsonHasNotAreStrings) {
  EXPECT_EQ(WriteJson(std::vector<double>{
                std::numeric_limits<double>::infinity(),
                -std::numeric_limits<double>::infinity(),
                std::numeric_limits<double>::quiet_NaN(), 2}),
            "[\"inf\", \"-inf\", \"nan\", 2.0]\n");
}

TEST(WriteJsonTest, TextMayHoldAnyBytes) {
  EXPECT_EQ(WriteJson(std::vector<std::string>{"\xff\n", "é"}),
            "[\n  \"\uFFFD\\n\",\n  \"é\"\n]\n");
}

TEST(WriteJsonTest, WritesAValueAlone) {
  EXPECT_EQ(WriteJson(0.5), "0.5\n");
  EXPECT_EQ(WriteJson(std::vector<Point>()), "[]\n");
}

}  // namespace
}  // namespace ns
