#include "passes/runtime/observers/observer_options.h"

#include <map>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/runtime/observers/observer_config.h"
#include "passes/runtime/observers/observer_names.h"

namespace ns {
namespace {

using ::testing::StartsWith;

std::string ParseError(const ObserverOptions& options) {
  return std::string(ParseObserverConfig(options).status().message());
}

TEST(ObserverOptionsTest, KindsHaveNames) {
  for (int i = 0; i <= static_cast<int>(ObserverKind::kScripted); ++i) {
    const auto kind = static_cast<ObserverKind>(i);
    EXPECT_EQ(FindObserverKind(ObserverKindName(kind)), kind);
    EXPECT_EQ(ObserverKindNames().at(i), ObserverKindName(kind));
  }
  EXPECT_EQ(FindObserverKind("unknown"), std::nullopt);
}

TEST(ObserverOptionsTest, TextBringsItBack) {
  ObserverConfig config = DefaultConfig(ObserverKind::kHistogram);
  EXPECT_EQ(*ParseObserverConfig(OptionsOf(config)), config);
  config.dtype = at::kQInt8;
  config.qscheme = at::kPerTensorSymmetric;
  config.reduce_range = true;
  config.quant_min = -100;
  config.quant_max = 99;
  config.eps = 1.0 / 3;
  config.averaging_constant = 0.1;
  config.ch_axis = -1;
  config.bins = 77;
  config.upsample_rate = 5;
  config.percentile = 0.9876543210987654;
  config.scale = 1e-300;
  config.zero_point = 3;
  config.compute_dtype = at::kQUInt8;
  config.custom_op_name = "a, \"b\"";
  config.compat = true;
  const auto parsed = ParseObserverConfig(OptionsOf(config));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, config);
  EXPECT_EQ(parsed->eps, config.eps);
  EXPECT_EQ(parsed->percentile, config.percentile);
  EXPECT_EQ(parsed->scale, config.scale);
  EXPECT_NE(*parsed, DefaultConfig(ObserverKind::kHistogram));
}

TEST(ObserverOptionsTest, OptionsAreOverTheDefaultsOfTheKind) {
  EXPECT_EQ(*ParseObserverConfig({}), DefaultConfig(ObserverKind::kMinMax));
  EXPECT_EQ(ParseObserverConfig({{"kind", "minmax-per-channel"}})->qscheme,
            at::kPerChannelAffine);
  EXPECT_EQ(ParseObserverConfig({{"kind", "placeholder"}})->dtype, at::kFloat);
  EXPECT_EQ(ParseObserverConfig({{"kind", "noop"}})->dtype, at::kHalf);
}

TEST(ObserverOptionsTest, ChangedOnesAreTheKindAndWhatIsNoDefault) {
  ObserverConfig config = DefaultConfig(ObserverKind::kPerChannelMinMax);
  EXPECT_EQ(ChangedOptionsOf(config),
            (ObserverOptions{{"kind", "minmax-per-channel"}}));
  config.dtype = at::kQInt8;
  config.quant_min = -8;
  EXPECT_EQ(ChangedOptionsOf(config),
            (ObserverOptions{{"kind", "minmax-per-channel"},
                             {"dtype", "qint8"},
                             {"quant_min", "-8"}}));
}

TEST(ObserverOptionsTest, AllAreListedWithTheirType) {
  std::map<absl::string_view, OptionType> types;
  for (const ObserverOption& option : AllObserverOptions()) {
    types[option.name] = option.type;
  }
  ObserverConfig config;
  config.quant_min = 0;
  config.quant_max = 1;
  config.compute_dtype = at::kHalf;
  EXPECT_EQ(types.size(), OptionsOf(config).size());
  EXPECT_EQ(types.at("kind"), OptionType::kText);
  EXPECT_EQ(types.at("compute_dtype"), OptionType::kText);
  EXPECT_EQ(types.at("quant_min"), OptionType::kInteger);
  EXPECT_EQ(types.at("bins"), OptionType::kInteger);
  EXPECT_EQ(types.at("eps"), OptionType::kNumber);
  EXPECT_EQ(types.at("compat"), OptionType::kBoolean);
}

TEST(ObserverOptionsTest, WrongOptionsAreNamed) {
  EXPECT_EQ(ParseError({{"kind", "histgram"}}),
            "no observer has kind 'histgram'; did you mean 'histogram'?");
  EXPECT_THAT(
      ParseError({{"kind", "?"}}),
      StartsWith("no observer has kind '?'; use minmax, moving-average,"));
  EXPECT_EQ(ParseError({{"quant_mn", "0"}}),
            "observer 'minmax': has no option 'quant_mn'; did you mean "
            "'quant_min'?");
  EXPECT_THAT(ParseError({{"?", "0"}}),
              StartsWith("observer 'minmax': has no option '?'; it takes kind, "
                         "dtype, "));
  EXPECT_EQ(ParseError({{"dtype", "int8"}}),
            "observer 'minmax': dtype cannot be 'int8'");
  EXPECT_EQ(ParseError({{"bins", "many"}}),
            "observer 'minmax': bins cannot be 'many'");
  EXPECT_EQ(ParseError({{"reduce_range", "1"}}),
            "observer 'minmax': reduce_range cannot be '1'");
  EXPECT_EQ(ParseError({{"eps", "0"}}),
            "observer 'minmax': eps must be above 0");
}

}  // namespace
}  // namespace ns
