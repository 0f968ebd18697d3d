#include "ir/files/check_debug_pickle.h"

#include <torch/csrc/jit/serialization/pickle.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

c10::IValue TupleOf(std::vector<c10::IValue> elements) {
  return c10::ivalue::Tuple::create(std::move(elements));
}

std::string Pickle(const c10::IValue& value) {
  const std::vector<char> bytes = torch::jit::pickle(value);
  return std::string(bytes.begin(), bytes.end());
}

// A source of two texts, "abc" and "de".
c10::IValue Source(int64_t text = 1, int64_t name = 0) {
  return TupleOf({c10::List<int64_t>({0, text}), name, 1});
}

// The records of one place: the bytes from `start` to `end` of `source`.
std::string Content(const c10::IValue& source, int64_t start = 0,
                    int64_t end = 5) {
  return Pickle(
      TupleOf({"FORMAT_WITH_STRING_TABLE", TupleOf({"abc", "de"}),
               TupleOf({TupleOf({10, TupleOf({source, start, end}), -1})})}));
}

// The same in the older format, without a table.
std::string OldContent(const c10::IValue& name, int64_t end = 3) {
  return Pickle(TupleOf(
      {TupleOf({10, TupleOf({TupleOf({"abc", name, 1}), 0, end}), -1})}));
}

std::string MessageFor(const std::string& content) {
  return std::string(CheckDebugPickle(content).message());
}

TEST(CheckDebugPickleTest, AcceptsWhatLibTorchWrites) {
  NS_EXPECT_OK(CheckDebugPickle(Content(Source())));
  NS_EXPECT_OK(CheckDebugPickle(OldContent("net.py")));
  NS_EXPECT_OK(CheckDebugPickle(OldContent(c10::IValue())));
}

// Nodes that attention modules get from no line of theirs.
TEST(CheckDebugPickleTest, AcceptsTheFirstCharacterOfAnEmptyText) {
  const c10::IValue empty = TupleOf({"", c10::IValue(), 1});
  NS_EXPECT_OK(CheckDebugPickle(
      Pickle(TupleOf({TupleOf({10, TupleOf({empty, 0, 1}), -1})}))));
  EXPECT_THAT(
      MessageFor(Pickle(TupleOf({TupleOf({10, TupleOf({empty, 0, 2}), -1})}))),
      HasSubstr("outside"));
}

TEST(CheckDebugPickleTest, TextsAreInTheTable) {
  for (const int64_t index : {int64_t{2}, int64_t{-1}, int64_t{1} << 40}) {
    EXPECT_THAT(MessageFor(Content(Source(index))),
                HasSubstr("table of texts"));
    EXPECT_THAT(MessageFor(Content(Source(0, index))),
                HasSubstr("table of texts"));
  }
}

TEST(CheckDebugPickleTest, RangesAreInsideTheirTexts) {
  EXPECT_THAT(MessageFor(Content(Source(), 0, 6)), HasSubstr("outside"));
  EXPECT_THAT(MessageFor(Content(Source(), 3, 2)), HasSubstr("outside"));
  EXPECT_THAT(MessageFor(Content(Source(), -1, 2)), HasSubstr("outside"));
  EXPECT_THAT(MessageFor(OldContent("net.py", 4)), HasSubstr("outside"));
}

TEST(CheckDebugPickleTest, RefusesWhatIsNotComplete) {
  for (const c10::IValue& value :
       {c10::IValue(1), TupleOf({}), TupleOf({"FORMAT_WITH_STRING_TABLE"}),
        TupleOf({"FORMAT_WITH_STRING_TABLE", TupleOf({1}), TupleOf({})}),
        TupleOf({"FORMAT_WITH_STRING_TABLE", TupleOf({"a"}), 1}), TupleOf({1}),
        TupleOf({TupleOf({1})}), TupleOf({TupleOf({1, TupleOf({1, 2})})}),
        TupleOf({TupleOf({1, TupleOf({TupleOf({"a", 1, 1}), 0, 1})})})}) {
    EXPECT_FALSE(CheckDebugPickle(Pickle(value)).ok()) << value;
  }
}

TEST(CheckDebugPickleTest, TakesAnyBytes) {
  std::mt19937 random(1);
  const std::string good = Content(Source());
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(CheckDebugPickle(good.substr(0, size)).ok());
  }
  for (int trial = 0; trial < 2000; ++trial) {
    std::string bad = good;
    bad[random() % bad.size()] = static_cast<char>(random());
    (void)CheckDebugPickle(bad);
  }
  // A text of 4 GB that is not there.
  EXPECT_FALSE(CheckDebugPickle("\x80\x02X\xff\xff\xff\xff").ok());
}

}  // namespace
}  // namespace ns
