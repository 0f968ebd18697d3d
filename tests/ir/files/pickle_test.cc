#include "ir/files/pickle.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

using testing::HasSubstr;
using Kind = PickleValue::Kind;

std::shared_ptr<const PickleValue> Parse(absl::string_view body) {
  auto value = ParsePickle(absl::StrCat("\x80\x02", body));
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *value : std::make_shared<const PickleValue>();
}

std::string Error(absl::string_view body) {
  const auto value = ParsePickle(absl::StrCat("\x80\x02", body));
  EXPECT_FALSE(value.ok());
  return std::string(value.status().message());
}

TEST(ParsePickleTest, ReadsScalars) {
  EXPECT_EQ(Parse("N.")->kind, Kind::kNone);
  EXPECT_EQ(Parse("\x88.")->integer, 1);
  EXPECT_EQ(Parse("\x89.")->kind, Kind::kBool);
  EXPECT_EQ(Parse("K\xff.")->integer, 255);
  EXPECT_EQ(Parse("M\x01\x02.")->integer, 513);
  EXPECT_EQ(Parse("J\xfe\xff\xff\xff.")->integer, -2);
  EXPECT_EQ(Parse("G\x3f\xf8" + std::string(6, '\0') + ".")->number, 1.5);
  EXPECT_EQ(Parse(std::string("X\x02\0\0\0hi.", 8))->text, "hi");
}

TEST(ParsePickleTest, ReadsLongsOfAnyLength) {
  EXPECT_EQ(Parse(std::string("\x8a\0.", 3))->integer, 0);
  EXPECT_EQ(Parse("\x8a\x01\xff.")->integer, -1);
  EXPECT_EQ(Parse(std::string("\x8a\x02\x80\0.", 5))->integer, 128);
  EXPECT_THAT(Error("\x8a\x09"
                    "123456789."),
              HasSubstr("more than 64 bits"));
}

TEST(ParsePickleTest, OneElementAndManyAreAlike) {
  EXPECT_EQ(Parse("]K\x01"
                  "a.")
                ->items.size(),
            1);
  EXPECT_EQ(Parse("](K\x01K\x02"
                  "e.")
                ->items.size(),
            2);
  EXPECT_EQ(Parse("}K\x01K\x02s.")->items.size(), 2);
  EXPECT_EQ(Parse("}(K\x01K\x02K\x03K\x04u.")->items.size(), 4);
}

TEST(ParsePickleTest, ReadsTuples) {
  EXPECT_TRUE(Parse(").")->items.empty());
  EXPECT_EQ(Parse("NNN\x87.")->items.size(), 3);
  EXPECT_EQ(Parse("(NNNNt.")->items.size(), 4);
}

TEST(ParsePickleTest, KeepsCallsAsData) {
  const auto call = Parse("ccollections\nOrderedDict\n)RK\x01K\x02s.");
  ASSERT_EQ(call->kind, Kind::kCall);
  EXPECT_EQ(call->items[0]->text, "collections.OrderedDict");
  EXPECT_EQ(call->assigned.size(), 2);
}

TEST(ParsePickleTest, SharesRememberedValues) {
  const auto list = Parse(
      "](]q\x01h\x01"
      "e.");
  ASSERT_EQ(list->items.size(), 2);
  EXPECT_EQ(list->items[0], list->items[1]);
}

TEST(ParsePickleTest, RefusesCyclesAndDepth) {
  EXPECT_THAT(Error("]q\x01h\x01"
                    "a."),
              HasSubstr("contains itself"));
  EXPECT_THAT(Error("]q\x01\x85h\x01"
                    "K\x01"
                    "a."),
              HasSubstr("contains itself"));
  EXPECT_THAT(Error(absl::StrCat("N", std::string(1000000, '\x85'), ".")),
              HasSubstr("nests more than 100 deep"));
}

TEST(ParsePickleTest, KeepsTheStateOfObjectsWhereAsked) {
  PickleOptions options;
  const std::string object =
      "\x80\x02"
      "cm\nC\n)\x81K\x07"
      "b.";
  EXPECT_EQ((*ParsePickle(object, options))->state, nullptr);
  options.keep_state = true;
  EXPECT_EQ((*ParsePickle(object, options))->state->integer, 7);
  for (const char* bad : {"\x80\x02K\x01K\x02"
                          "b.",
                          "\x80\x02"
                          "cm\nC\n)\x81K\x07"
                          "bK\x08"
                          "b."}) {
    EXPECT_FALSE(ParsePickle(bad, options).ok());
  }
}

TEST(ParsePickleTest, RefusesValuesNotedOutOfOrderForLibTorch) {
  PickleOptions options;
  options.for_libtorch = true;
  EXPECT_TRUE(ParsePickle(std::string("\x80\x02Nq\0.", 6), options).ok());
  EXPECT_FALSE(ParsePickle("\x80\x02Nq\x01.", options).ok());
  EXPECT_TRUE(ParsePickle("\x80\x02Nq\x01.").ok());
}

TEST(ParsePickleTest, RefusesMalformedStreams) {
  EXPECT_THAT(std::string(ParsePickle("").status().message()),
              HasSubstr("ends in the middle"));
  EXPECT_THAT(std::string(ParsePickle("\x80\x01.").status().message()),
              HasSubstr("has protocol 1"));
  EXPECT_THAT(Error(""), HasSubstr("ends in the middle"));
  EXPECT_THAT(Error("."), HasSubstr("leaves 0 values"));
  EXPECT_THAT(Error("NN."), HasSubstr("leaves 2 values"));
  EXPECT_THAT(Error("N\x86."), HasSubstr("empty stack"));
  EXPECT_THAT(Error("(\x85."), HasSubstr("empty stack"));
  EXPECT_THAT(Error("a."), HasSubstr("empty stack"));
  EXPECT_THAT(Error("e."), HasSubstr("did not open"));
  EXPECT_THAT(Error("q\x01."), HasSubstr("empty stack"));
  EXPECT_THAT(Error("h\x07."), HasSubstr("unknown value 7"));
  EXPECT_THAT(Error("NNa."), HasSubstr("no list"));
  EXPECT_THAT(Error("}(Nu."), HasSubstr("no dict"));
  EXPECT_THAT(Error("X\xff\xff\xff\xff"
                    "abc"),
              HasSubstr("in the middle"));
  EXPECT_THAT(Error("cmodule"), HasSubstr("in the middle"));
  EXPECT_THAT(Error("NI1\n."), HasSubstr("opcode 0x49 at byte 3"));
}

}  // namespace
}  // namespace ns
