#include "ns/report/json/read_comparison.h"

#include <limits>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/json/parse_json.h"
#include "ir/json/read_json.h"
#include "ns/report/json/comparison_map.h"
#include "ns/report/json/json_report.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ActivationComparison Figures(double sqnr_db) {
  ActivationComparison figures;
  figures.shape = {2, 8};
  figures.error = {sqnr_db, 0.1, 0.9, 3, -0.5, 0.25};
  figures.batch_sqnr_db = {sqnr_db, -kInfinity};
  return figures;
}

// Has each field at least once.
ComparisonResult Full() {
  ComparisonResult result;
  result.float_path = "float.pt";
  result.quantized_path = "q\n.pt";
  result.matching = "aligned";
  result.batches = 2;
  result.emulated = "fbgemm-avx2";
  result.has_activations = result.has_shadows = true;
  LayerComparison layer;
  layer.name = "lstm";
  layer.float_side = {"lstm", false, "aten::lstm", {"aten::lstm"}};
  layer.quantized_side = {"l", true, "aten::quantized_lstm", {"a", "b"}};
  layer.output = "output";
  layer.unpaired_input = "a pool in front";
  layer.weights = {{"weight_ih_l0", {4, 3}, {44.1, 0.006, 0.9999, 0.01}}};
  layer.activation = Figures(30.1);
  layer.activation->trip_sqnr_db = {31, kNan};
  layer.activation->user_figures = {{"mae", 0.5}, {"psnr", kInfinity}};
  layer.activation->elements = 16;
  layer.activation->ranges = {-1, 2, -kInfinity, kInfinity};
  layer.activation->non_finite = {1, 2, 3, 4};
  layer.activation->codes = {5, 6, 7};
  layer.activation->worst_channels = {{3, 2.5}};
  layer.activation->channel_sqnr_db = {1, 2.5};
  layer.activation->outliers = {0.7, 0.01};
  layer.shadow = Figures(kInfinity);
  layer.inherited = ErrorFigures{1, 2, 3, 4, 5, 6};
  layer.weight_only = ErrorFigures{7, 8, 9, 10, 11, 12};
  layer.activation_only = ErrorFigures{13, 14, 15, 16, 17, 18};
  layer.kernel = Figures(kNan);
  layer.outputs = {{2, "c_n", Figures(7), Figures(8), ErrorFigures{9}}};
  layer.saturation = {"fbgemm-avx2", 8, 2, -33000, 100, 7, 1.5, 2.5, 3.5, 4.5};
  result.layers = {layer};
  result.unmatched = {{"float", "dropout", "aten::dropout", "no partner"}};
  result.not_shadowed = {{"add", "too new"}};
  result.no_reference = {{"fc", "none"}};
  result.reference = "device";
  result.not_referenced = {{"add", "no values"}};
  result.has_kernels = true;
  result.not_emulated = {{"mul", "why"}};
  result.stubs = {{"block", "F", "Q", Figures(1), {{1, "h_n", Figures(2)}}}};
  result.outputs = {{"fc", "F", "Q", Figures(3)},
                    {"output", "", "", Figures(4)},
                    {"output[1]", "", "", Figures(5), true}};
  result.limits = {
      {LimitKind::kFailBelow, "lstm", "c_n", "", 7, 30, 0, false},
      {LimitKind::kMaxClip, "lstm", "", "", 0.5, 0.01, 0, false},
      {LimitKind::kMaxUnmatched, "", "", "", 1, 3, 0, true},
      {LimitKind::kMaxDrop, "lstm", "", "activation", kNan, 1, 0.5, false}};
  result.baseline = {"old.json", {"fc"}, {"relu"}};
  Accuracy accuracy;
  accuracy.samples = 64;
  accuracy.float_top1 = 0.75;
  accuracy.quantized_top1 = 0.5;
  accuracy.agreement = 0.625;
  accuracy.difference = -0.25;
  accuracy.lowest_difference = -0.5;
  accuracy.highest_difference = 0.125;
  accuracy.lost = 20;
  accuracy.won = 4;
  accuracy.flipped = 24;
  accuracy.flips = {{1, 31, 7, 7, 9, 0.5, kNan}};
  result.accuracy = accuracy;
  result.agreement = ClassAgreement{64, 10, 24, 0.625, 0.875, 0.5, 0.75, 0.25};
  result.scores = {{"map", 0.5, 0.25, -0.25}};
  result.samples = ComparedSamples{"flipped", {3, 17}, 64};
  return result;
}

// JSON that differs from that of Full() in one place.
std::string Changed(const std::string& from, const std::string& to) {
  const std::string json = ToJson(Full());
  EXPECT_THAT(json, HasSubstr(from));
  return absl::StrReplaceAll(json, {{from, to}});
}

TEST(ReadComparisonTest, WhatIsReadIsWrittenAgainAsItWas) {
  const std::string json = ToJson(Full());
  EXPECT_EQ(ToJson(OrThrow(ParseComparison(json, "a.json"))), json);
  const std::string empty = ToJson(ComparisonResult());
  EXPECT_EQ(ToJson(OrThrow(ParseComparison(empty, "a.json"))), empty);
}

TEST(ReadComparisonTest, TellsWhatTheComparisonHas) {
  const ComparisonResult read =
      OrThrow(ParseComparison(ToJson(Full()), "a.json"));
  EXPECT_TRUE(read.has_activations && read.has_shadows && read.has_kernels);
  EXPECT_EQ(read.user_metrics, (std::vector<std::string>{"mae", "psnr"}));
  const ComparisonResult empty =
      OrThrow(ParseComparison(ToJson(ComparisonResult()), "a.json"));
  EXPECT_FALSE(empty.has_activations || empty.has_shadows || empty.has_kernels);
  EXPECT_FALSE(empty.limits || empty.accuracy || empty.stubs || empty.outputs);
  EXPECT_FALSE(empty.agreement || empty.samples || !empty.scores.empty());
}

TEST(ReadComparisonTest, FieldsOfLaterVersionsAreLeftOut) {
  const std::string json =
      Changed(R"("name": "lstm",)",
              R"("name": "lstm", "source": {"file": "a.py", "line": 3},)");
  EXPECT_EQ(ToJson(OrThrow(ParseComparison(json, "a.json"))), ToJson(Full()));
}

TEST(ReadComparisonTest, RefusesWhatIsCutOffOrNoJson) {
  const std::string json = ToJson(Full());
  EXPECT_THAT(
      MessageOf(ParseComparison(json.substr(0, json.size() / 2), "a.json")),
      StartsWith("a.json: line "));
  EXPECT_THAT(MessageOf(ParseComparison("PK\x03\x04", "a.json")),
              StartsWith("a.json: line 1, column "));
}

TEST(ReadComparisonTest, RefusesOtherSchemasByTheirNames) {
  EXPECT_EQ(MessageOf(ParseComparison(R"({"schema": "ns.quantize/1"})", "a")),
            "a: schema: 'ns.quantize/1' must be 'ns.compare/1'; give what ns "
            "compare --json wrote");
  EXPECT_EQ(MessageOf(ParseComparison("{}", "a")), "a: has no \"schema\"");
  EXPECT_EQ(MessageOf(ParseComparison("[]", "a")), "a: '[]' must be an object");
}

TEST(ReadComparisonTest, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(MessageOf(ParseComparison(
                Changed(R"("op": "aten::lstm",)", R"("op": 7,)"), "a")),
            "a: layers[0].float.op: '7' must be a string");
  EXPECT_EQ(MessageOf(ParseComparison(Changed(R"("name": "c_n",)", ""), "a")),
            "a: layers[0].outputs[0]: has no \"name\"");
  EXPECT_EQ(MessageOf(ParseComparison(Changed("[2, 8]", "[2, 8.5]"), "a")),
            "a: layers[0].activation.shape[1]: '8.5' must be a whole number");
  EXPECT_EQ(MessageOf(ParseComparison(
                Changed(R"("passed": true)", R"("passed": 1)"), "a")),
            "a: limits[2].passed: '1' must be true or false");
  EXPECT_THAT(MessageOf(ParseComparison(Changed("[-1.0, 2.0]", "[-1.0]"), "a")),
              HasSubstr("activation.range.float: '[-1]' must be a list of "
                        "two numbers"));
  EXPECT_THAT(
      MessageOf(ParseComparison(Changed(R"("max-clip")", R"("clip")"), "a")),
      HasSubstr("limits[1].limit: 'clip' must be the name of a limit"));
  EXPECT_THAT(MessageOf(ParseComparison(
                  Changed(R"("matching": "aligned")",
                          R"("matching": "a\u001b[31m\n", "batches": [])"),
                  "a")),
              HasSubstr("twice"));
}

// Layers are parsed one by one. That must not accept what is not JSON, nor
// refuse what is.
TEST(ReadComparisonTest, ChangedTextIsAcceptedAsByAParserOfTheWhole) {
  std::mt19937 random(1);
  const std::string letters = "[]{},:\"0 \\x";
  const std::string json = ToJson(Full());
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = json;
    const size_t place = random() % text.size();
    const char letter = letters[random() % letters.size()];
    switch (random() % 3) {
      case 0:
        text[place] = letter;
        break;
      case 1:
        text.insert(place, 1, letter);
        break;
      default:
        text.erase(place, 1 + random() % 3);
    }
    ComparisonResult expected;
    absl::Status status = ParseJson(text).status();
    if (status.ok()) {
      status = ReadJson(*ParseJson(text), expected);
    }
    const auto read = ParseComparison(text, "a");
    ASSERT_EQ(read.ok(), status.ok()) << text << MessageOf(read);
    if (read.ok()) {
      ++accepted;
    } else {
      EXPECT_EQ(MessageOf(read), absl::StrCat("a: ", status.message()));
    }
  }
  EXPECT_GT(accepted, 300);
}

TEST(ReadComparisonTest, RefusesTwoLayersOfOneName) {
  ComparisonResult result;
  result.layers.resize(2);
  result.layers[0].name = result.layers[1].name = "fc\x1b";
  EXPECT_EQ(MessageOf(ParseComparison(ToJson(result), "a")),
            "a: layers[1].name: 'fc\\u001b' must be a name that no other layer "
            "has");
}

TEST(ReadComparisonTest, NamesAFileThatCannotBeRead) {
  EXPECT_THAT(MessageOf(ReadComparison("/nowhere/a.json")),
              StartsWith("/nowhere/a.json: "));
}

}  // namespace
}  // namespace ns
