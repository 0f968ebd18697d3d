#include "ns/compare/compare_notice.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CompareNoticeTest, NamesAtMostThree) {
  EXPECT_EQ(FirstNames({}), "");
  EXPECT_EQ(FirstNames({"a"}), "a");
  EXPECT_EQ(FirstNames({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(FirstNames({"a", "b", "c", "d", "e"}), "a, b, c and 2 others");
}

TEST(CompareNoticeTest, SaysWhatHappenedAndNamesNoFlag) {
  CompareNotice notice;
  notice.types = {"LSTM"};
  notice.modules = {"encoder.lstm"};
  notice.done = 3;
  notice.total = 8;
  notice.left_out = 5;
  notice.bytes = 1000;
  const auto text = [&](CompareNotice::Kind kind) {
    notice.kind = kind;
    return NoticeText(notice);
  };
  using Kind = CompareNotice::Kind;
  EXPECT_THAT(text(Kind::kComparedAsOneOp), HasSubstr("LSTM"));
  EXPECT_THAT(text(Kind::kUnmatchedInModules),
              AllOf(HasSubstr("encoder.lstm"), HasSubstr("LSTM")));
  EXPECT_THAT(text(Kind::kSettledEarly), HasSubstr("3 of 8 batches"));
  EXPECT_THAT(text(Kind::kValuesLeftOut),
              AllOf(HasSubstr("5 files"), HasSubstr("1000 bytes")));
  for (const Kind kind : {Kind::kComparedAsOneOp, Kind::kUnmatchedInModules,
                          Kind::kSettledEarly, Kind::kValuesLeftOut}) {
    EXPECT_THAT(text(kind), Not(HasSubstr("--")));
  }
}

}  // namespace
}  // namespace ns
