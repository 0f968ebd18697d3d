#include "passes/quantization/qconfig/observer_json.h"

#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/json/parse_json.h"
#include "passes/quantization/qconfig/default_observers.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<ObserverSpec> Parse(const std::string& text) {
  return ParseObserverSpec(OrThrow(ParseJson(text)));
}

ObserverSpec RoundTrip(const ObserverSpec& spec) {
  return OrThrow(Parse(ObserverSpecToJson(spec)));
}

TEST(ObserverJsonTest, WritesWhatIsNoDefault) {
  EXPECT_EQ(ObserverSpecToJson(SpecOf(ObserverKind::kHistogram)),
            R"({"kind": "histogram"})");
  EXPECT_EQ(ObserverSpecToJson(PerChannelWeightObserverRangeNeg127To127()),
            R"({"kind": "minmax-per-channel", "dtype": "qint8", "qscheme": )"
            R"("per_channel_symmetric", "quant_min": -127, "quant_max": 127, )"
            R"("eps": 0.000244140625})");
  EXPECT_EQ(ObserverSpecToJson(DefaultFakeQuant()),
            R"({"kind": "moving-average", "reduce_range": true, "quant_min": )"
            R"(0, "quant_max": 255, "fake_quantize": true})");
  EXPECT_THAT(ObserverSpecToJson(DefaultFusedWtFakeQuant()),
              HasSubstr(R"("fake_quantize": "fused"})"));
}

TEST(ObserverJsonTest, ReadsOptionsOverTheDefaults) {
  EXPECT_EQ(OrThrow(Parse("{}")), SpecOf(ObserverKind::kMinMax));
  EXPECT_EQ(OrThrow(Parse(R"({"kind": "placeholder"})")), PlaceholderSpec());
  ObserverSpec spec = SpecOf(ObserverKind::kPercentile);
  spec.config.percentile = 0.75;
  spec.use = ObserverUse::kFakeQuantize;
  EXPECT_EQ(OrThrow(Parse(R"({"fake_quantize": true, "percentile": 0.75,
                              "kind": "percentile"})")),
            spec);
  EXPECT_EQ(OrThrow(Parse(R"({"fake_quantize": false})")).use,
            ObserverUse::kObserve);
}

TEST(ObserverJsonTest, NumbersThatLibTorchCannotHoldAreErrors) {
  EXPECT_FALSE(Parse(R"({"kind": "fixed", "scale": 1e300,
                         "fake_quantize": true})")
                   .ok());
  EXPECT_THAT(Parse(R"({"compat": true, "quant_min": -9223372036854775808,
                "quant_max": 9223372036854775807})")
                  .status()
                  .message(),
              HasSubstr("is not within the integers of 32 bits"));
}

TEST(ObserverJsonTest, TextThatLooksLikeANumberStaysText) {
  ObserverSpec spec = SpecOf(ObserverKind::kNoop);
  for (const char* name : {"1", "true", "inf", "a \"b\"\n", ""}) {
    spec.config.custom_op_name = name;
    EXPECT_EQ(RoundTrip(spec), spec) << name;
  }
}

TEST(ObserverJsonTest, NumbersThatJsonHasNotAreText) {
  ObserverSpec spec = PlaceholderSpec();
  spec.config.scale = std::numeric_limits<double>::infinity();
  spec.config.eps = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(ObserverSpecToJson(spec),
            R"({"kind": "placeholder", "eps": "-inf", "scale": "inf"})");
  EXPECT_EQ(RoundTrip(spec), spec);
}

TEST(ObserverJsonTest, ScriptedOnesHaveAPath) {
  ObserverSpec spec = SpecOf(ObserverKind::kScripted);
  spec.path = "observers/mine.pt";
  EXPECT_EQ(ObserverSpecToJson(spec),
            R"({"kind": "scripted", "path": "observers/mine.pt"})");
  EXPECT_EQ(RoundTrip(spec), spec);
  EXPECT_EQ(MessageOf(Parse(R"({"kind": "scripted"})")),
            "observer 'scripted' needs the field 'path', the file of its "
            "module");
  EXPECT_EQ(MessageOf(Parse(R"({"path": "mine.pt"})")),
            "only observer 'scripted' has a field 'path'");
}

TEST(ObserverJsonTest, UnknownFieldsHaveTheNearest) {
  EXPECT_EQ(MessageOf(Parse(R"({"reduce_rnge": true})")),
            "has no field 'reduce_rnge'; did you mean 'reduce_range'?");
  EXPECT_EQ(MessageOf(Parse(R"({"fake_quantise": true})")),
            "has no field 'fake_quantise'; did you mean 'fake_quantize'?");
  EXPECT_THAT(MessageOf(Parse(R"({"?": true})")),
              HasSubstr("it takes kind, dtype, "));
}

TEST(ObserverJsonTest, ValuesOfOtherTypesAreErrors) {
  EXPECT_EQ(MessageOf(Parse("3")),
            "'3' must be an object such as {\"kind\": \"histogram\"}");
  EXPECT_EQ(MessageOf(Parse(R"({"kind": 1})")), "kind: '1' must be a string");
  EXPECT_EQ(MessageOf(Parse(R"({"reduce_range": 1})")),
            "reduce_range: '1' must be true or false");
  EXPECT_EQ(MessageOf(Parse(R"({"quant_min": "0"})")),
            "quant_min: '0' must be an integer");
  EXPECT_EQ(MessageOf(Parse(R"({"bins": 2048.5})")),
            "bins: '2048.5' must be an integer");
  EXPECT_EQ(MessageOf(Parse(R"({"eps": "small"})")),
            "eps: 'small' must be a number");
  EXPECT_EQ(MessageOf(Parse(R"({"eps": null})")),
            "eps: 'null' must be a number");
  EXPECT_EQ(MessageOf(Parse(R"({"fake_quantize": "yes"})")),
            "fake_quantize: 'yes' must be true, false or \"fused\"");
}

TEST(ObserverJsonTest, HugeNumbersAreErrors) {
  EXPECT_EQ(MessageOf(Parse(R"({"quant_min": 0, "quant_max": 1e300})")),
            "quant_max: '1e+300' must be an integer");
  EXPECT_EQ(MessageOf(Parse(R"({"bins": 9223372036854775807})")),
            "observer 'minmax': bins must be 2 to 1048576");
}

TEST(ObserverJsonTest, ObserversThatCannotBeHadAreErrors) {
  EXPECT_EQ(MessageOf(Parse(R"({"kind": "histgram"})")),
            "no observer has kind 'histgram'; did you mean 'histogram'?");
  EXPECT_EQ(MessageOf(Parse(R"({"quant_min": 0})")),
            "observer 'minmax': has one of quant_min and quant_max; give both "
            "or none");
  EXPECT_EQ(
      MessageOf(Parse(R"({"kind": "histogram", "fake_quantize": "fused"})")),
      "fake quantization: observer 'histogram' is no moving average with "
      "integer zero points, as fused ones have");
}

}  // namespace
}  // namespace ns
