#include "ns/report/table/table_report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/result/comparison_result.h"
#include "tests/ns/report/table_results.h"

namespace ns {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ComparisonResult ResNet() {
  std::vector<LayerComparison> layers = {Layer("conv1", 35, {44})};
  for (int stage = 1; stage <= 4; ++stage) {
    for (const char* name :
         {"0.conv1", "0.conv2", "0.downsample.0", "1.conv1", "1.conv2"}) {
      layers.push_back(Layer(absl::StrCat("layer", stage, ".", name),
                             40.0 - layers.size() * 1.6, {43.25}));
    }
  }
  layers.push_back(Layer("fc", 25, {kInfinity}));
  return Result(layers);
}

size_t Width(absl::string_view line) {
  return std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  });
}

// The lines of the table alone, headings and rule included.
std::vector<std::string> TableLines(const std::string& text) {
  return absl::StrSplit(text.substr(0, text.find("\n\n")), '\n');
}

// The first word of each row.
std::vector<std::string> RowNames(const std::string& text) {
  std::vector<std::string> names;
  const std::vector<std::string> lines = TableLines(text);
  for (size_t i = 3; i < lines.size(); ++i) {
    names.push_back(lines[i].substr(0, lines[i].find(' ')));
  }
  return names;
}

TEST(TableReportTest, SortsNanFirstAndExactLast) {
  const ComparisonResult result =
      Result({Layer("same", kInfinity), Layer("nan", kNan), Layer("conv", 30)});
  TableOptions options;
  options.sort_by_error = true;
  const std::string table = ToTable(result, options);
  EXPECT_THAT(table, ContainsRegex("same +conv2d.*exact"));
  EXPECT_THAT(table, HasSubstr("nan in 1 layer)"));
  EXPECT_LT(table.find("\nnan "), table.find("\nconv "));
  EXPECT_LT(table.find("\nconv "), table.find("\nsame "));
}

TEST(TableReportTest, ShowsTheTopAndCountsTheRest) {
  const ComparisonResult result =
      Result({Layer("good", 40), Layer("bad", 10), Layer("fair", 20)});
  TableOptions options;
  options.sort_by_error = true;
  options.top = 2;
  std::string table = ToTable(result, options);
  EXPECT_THAT(RowNames(table), ElementsAre("bad", "fair", "1"));
  EXPECT_THAT(table, HasSubstr("1 more layer, which --top leaves out\n\n"
                               "3 layers matched"));
  options.top = 3;
  table = ToTable(result, options);
  EXPECT_THAT(RowNames(table), ElementsAre("bad", "fair", "good"));
  EXPECT_THAT(table, Not(HasSubstr("--top")));
}

TEST(TableReportTest, NanOfAUsersMetricHasNoSign) {
  ComparisonResult result = Result({Layer("conv", 30), Layer("fc", 20)});
  result.user_metrics = {"mae"};
  result.layers[0].activation->user_figures = {{"mae", -kNan}};
  result.layers[1].activation->user_figures = {{"mae", 0.0123456}};
  const std::string table = ToTable(result, {});
  EXPECT_THAT(table, HasSubstr(" nan"));
  EXPECT_THAT(table, Not(HasSubstr("-nan")));
  EXPECT_THAT(table, HasSubstr(" 0.01235"));
}

TEST(TableReportTest, ShowsWhereLayersAreInTheCode) {
  ComparisonResult result =
      Result({Layer("conv", 30), Layer("fc", 20), Layer("add", 10)});
  result.layers[0].float_side.source = SourceLine{"/src/net.py", 12};
  result.layers[0].quantized_side.source = SourceLine{"<eval>", 3};
  result.layers[1].quantized_side.source = SourceLine{"\x1b[31m.py", 7};
  TableOptions options;
  options.source = true;
  const std::string table = ToTable(result, options);
  EXPECT_THAT(table, ContainsRegex("source"));
  EXPECT_THAT(table, ContainsRegex("conv .* net.py:12 "));
  EXPECT_THAT(table, ContainsRegex("fc .* .x1b.31m.py:7 "));
  EXPECT_THAT(table, ContainsRegex("add .* - "));
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("net.py")));
}

TEST(TableReportTest, ShowsFiguresBarsAndSummary) {
  ComparisonResult result =
      Result({Layer("conv1", 30, {44.06}), Layer("rnn", 7.5, {41, 39.96}),
              Layer("exact", kInfinity, {kInfinity}), Layer("absent", {}),
              Layer("nan", kNan)});
  result.layers[3].float_side = {};
  result.unmatched = {{"float", "drop", "aten::dropout", "dropped"}};
  EXPECT_EQ(
      ToTable(result, {}),
      R"(        float                   quantized       weight  activation  activation, dB
layer   subgraph                op             SQNR dB     SQNR dB  0       20      40      60
──────────────────────────────────────────────────────────────────────────────────────────────
conv1   conv2d+batch_norm+relu  conv2d_relu       44.1        30.0  ████████████
rnn     conv2d+batch_norm+relu  conv2d_relu  (x2) 40.0         7.5  ███ ← worst
exact   conv2d+batch_norm+relu  conv2d_relu      exact       exact  ████████████████████████
absent  -                       conv2d_relu          -           -
nan     conv2d+batch_norm+relu  conv2d_relu          -         nan

5 layers matched (aligned), 8 batches
lowest weight SQNR      40.0 dB  rnn
lowest activation SQNR   7.5 dB  rnn  (nan in 1 layer)

1 unmatched:
  dropped
    float      drop (dropout)
)");
}

TEST(TableReportTest, ShowsTheThreeErrorsAndWhoIsToBlame) {
  ComparisonResult result = WithShadows(
      {Broken("conv1", 30, 30, kInfinity), Broken("conv2", 20, 29, 22, {0}),
       Broken("layer4.1.conv2", 6.1, 8.7, 9.9, {1})});
  result.layers[2].shadow->worst_channels = {{3, 2.1}, {17, 4}, {5, kNan}};
  EXPECT_EQ(
      ToTable(result, {}),
      R"(                float                   quantized    activation   shadow  inherited  activation, dB
layer           subgraph                op              SQNR dB  SQNR dB    SQNR dB  0       20      40      60
───────────────────────────────────────────────────────────────────────────────────────────────────────────────
conv1           conv2d+batch_norm+relu  conv2d_relu        30.0     30.0      exact  ████████████
conv2           conv2d+batch_norm+relu  conv2d_relu        20.0     29.0       22.0  ████████
layer4.1.conv2  conv2d+batch_norm+relu  conv2d_relu         6.1      8.7        9.9  ██▌

3 layers matched (aligned), 8 batches
lowest activation SQNR   6.1 dB  layer4.1.conv2
lowest shadow SQNR       8.7 dB  layer4.1.conv2
worst offender          layer4.1.conv2  local 8.7 dB (accumulated 6.1, inherited 9.9)
worst channels          layer4.1.conv2  3 (2.1 dB), 17 (4.0), 5 (nan)
first unexplained fall  conv2  accumulated 20.0 dB, expected 26.5
)");
}

TEST(TableReportTest, ShowsOtherOutputsBelowTheirLayerAndBlamesThem) {
  ComparisonResult result =
      WithShadows({Broken("rnn", 40, 41, kInfinity), Broken("b", 35, 36, 45),
                   Broken("c", 35, 36, 45), Broken("d", 35, 36, 45)});
  result.layers[0].weights = {{"weight", {1}, Error(44)}};
  result.layers[0].outputs = {Output("h_n", 39, 40, kInfinity),
                              Output("c\nn", 4, 5, 12)};
  result.layers[0].outputs[1].shadow->error.bias_share = 0.75;
  result.layers[0].outputs[1].shadow->error.mean_error = 0.5;
  result.layers[0].outputs[1].shadow->worst_channels = {{3, 2.1}};
  EXPECT_EQ(
      ToTable(result, {}),
      R"(          float                   quantized     weight  activation   shadow  inherited  activation, dB
layer     subgraph                op           SQNR dB     SQNR dB  SQNR dB    SQNR dB  0       20      40      60
──────────────────────────────────────────────────────────────────────────────────────────────────────────────────
rnn       conv2d+batch_norm+relu  conv2d_relu     44.0        40.0     41.0      exact  ████████████████
  h_n                                                         39.0     40.0      exact  ███████████████▋
  c\x0an                                                       4.0      5.0       12.0  █▋ ← worst
b         conv2d+batch_norm+relu  conv2d_relu        -        35.0     36.0       45.0  ██████████████
c         conv2d+batch_norm+relu  conv2d_relu        -        35.0     36.0       45.0  ██████████████
d         conv2d+batch_norm+relu  conv2d_relu        -        35.0     36.0       45.0  ██████████████

4 layers matched (aligned), 8 batches
lowest weight SQNR      44.0 dB  rnn
lowest activation SQNR   4.0 dB  rnn (c\x0an)
lowest shadow SQNR       5.0 dB  rnn (c\x0an)
worst offender          rnn (c\x0an)  local 5.0 dB (accumulated 4.0, inherited 12.0)
mostly a shift          rnn (c\x0an)  quantized minus float is 0.5 on average, 75 % of the squared error
worst channels          rnn (c\x0an)  3 (2.1 dB)
)");
}

TEST(TableReportTest, OtherOutputsStayBelowTheirLayerWhenSorted) {
  ComparisonResult result =
      WithShadows({Broken("b", 20, 20, 45), Broken("rnn", 40, 41, 50)});
  result.layers[1].outputs = {Output("h_n", 30, 31, 50),
                              Output("c_n", 10, 11, 50)};
  TableOptions options;
  options.sort_by_error = true;
  const std::string table = ToTable(result, options);
  EXPECT_LT(table.find("\nrnn "), table.find("\n  h_n "));
  EXPECT_LT(table.find("\n  h_n "), table.find("\n  c_n "));
  EXPECT_LT(table.find("\n  c_n "), table.find("\nb "));
}

TEST(TableReportTest, KernelsHaveAColumnAndALine) {
  ComparisonResult result = Result({Layer("fc", 30)});
  result.has_kernels = true;
  EXPECT_THAT(ToTable(result, {}), HasSubstr("lowest kernel SQNR         -\n"));
  result.layers[0].kernel = Figures(52.5);
  EXPECT_THAT(ToTable(result, {}), HasSubstr("activation   kernel"));
  EXPECT_THAT(ToTable(result, {}), HasSubstr("30.0     52.5  ███"));
  EXPECT_THAT(ToTable(result, {}),
              HasSubstr("lowest kernel SQNR      52.5 dB  fc\n"));
  result.has_activations = false;
  EXPECT_THAT(ToTable(result, {}), HasSubstr("kernel, dB"));
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("weight")));
}

TEST(TableReportTest, ShowsNoTableForEmptyResult) {
  EXPECT_EQ(ToTable({}, {}), "0 layers matched\n");
  EXPECT_EQ(ToMatchTable({}, {}), "0 layers matched\n");
}

TEST(TableReportTest, ShowsOnlyTheColumnsAskedFor) {
  ComparisonResult result = Result({Layer("fc", 30)});
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("weight")));
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("shadow")));
  result.has_shadows = true;
  EXPECT_THAT(ToTable(result, {}), HasSubstr("shadow"));
  result.has_activations = result.has_shadows = false;
  EXPECT_THAT(ToTable(result, {}), Not(HasSubstr("activation")));
  EXPECT_THAT(ToTable(result, {}), HasSubstr("lowest weight SQNR         -\n"));
}

TEST(TableReportTest, BarShowsShadowsOrWeightsWithoutActivations) {
  ComparisonResult result = Result({Layer("fc", {}, {60})});
  result.layers[0].shadow = Figures(3.5);
  result.has_activations = false;
  EXPECT_THAT(ToTable(result, {}), HasSubstr("weight, dB"));
  EXPECT_THAT(ToTable(result, {}), HasSubstr("  ████████████████████████\n"));
  result.has_shadows = true;
  EXPECT_THAT(ToTable(result, {}), HasSubstr("shadow, dB"));
  EXPECT_THAT(ToTable(result, {}), HasSubstr("  3.5  █▍\n"));
}

TEST(TableReportTest, AWideTerminalShowsChannels) {
  ComparisonResult result = Result({Layer("conv1", 30), Layer("fc", 20)});
  result.layers[0].activation->channels = ChannelSummary{3, 40, 1, 0, {40, 0}};
  EXPECT_THAT(ToTable(result, {false, false, 200}),
              HasSubstr("  30.0  █▁          ████████████\n"));
  EXPECT_THAT(ToTable(result, {false, false, 200}), HasSubstr("channels"));
  for (const int width : {0, 80}) {
    EXPECT_THAT(ToTable(result, {false, false, width}),
                Not(HasSubstr("channels")));
  }
  result.layers[0].activation->channels.reset();
  EXPECT_THAT(ToTable(result, {false, false, 200}), Not(HasSubstr("channels")));
}

TEST(TableReportTest, BarsStayBetweenZeroAndSixty) {
  const ComparisonResult result =
      Result({Layer("a", -kInfinity), Layer("b", -3), Layer("c", 0.3125),
              Layer("d", 1e300)});
  const std::vector<std::string> lines = TableLines(ToTable(result, {}));
  ASSERT_EQ(lines.size(), 7);
  EXPECT_TRUE(absl::EndsWith(lines[3], " -inf   ← worst")) << lines[3];
  EXPECT_TRUE(absl::EndsWith(lines[4], " -3.0")) << lines[4];
  EXPECT_TRUE(absl::EndsWith(lines[5], " 0.3  ▏")) << lines[5];
  EXPECT_TRUE(absl::EndsWith(lines[6], " ████████████████████████"));
}

TEST(TableReportTest, SortsByErrorStablyWithNanFirstAndAbsentLast) {
  const ComparisonResult result =
      Result({Layer("absent1", {}), Layer("best", kInfinity), Layer("mid1", 20),
              Layer("nan1", kNan), Layer("mid2", 20), Layer("absent2", {}),
              Layer("low", -kInfinity), Layer("nan2", kNan)});
  EXPECT_THAT(RowNames(ToTable(result, {false, true, 0})),
              ElementsAre("nan1", "nan2", "low", "mid1", "mid2", "best",
                          "absent1", "absent2"));
  EXPECT_EQ(RowNames(ToTable(result, {}))[0], "absent1");
}

TEST(TableReportTest, SortsByLowestWeightWithoutActivations) {
  ComparisonResult result =
      Result({Layer("a", 1, {40}), Layer("b", 2, {50, 30}),
              Layer("c", 3, {60, kNan})});
  result.has_activations = false;
  EXPECT_THAT(RowNames(ToTable(result, {false, true, 0})),
              ElementsAre("c", "b", "a"));
}

TEST(TableReportTest, ColorsFollowTheLimits) {
  const auto color = [](double db) {
    const std::string table =
        ToTable(Result({Layer("fc", db)}), {true, false, 0});
    return absl::StrContains(table, "\x1b[31mfc\x1b[0m")   ? "red"
           : absl::StrContains(table, "\x1b[33mfc\x1b[0m") ? "yellow"
                                                           : "none";
  };
  EXPECT_STREQ(color(9.9), "red");
  EXPECT_STREQ(color(kNan), "red");
  EXPECT_STREQ(color(-kInfinity), "red");
  EXPECT_STREQ(color(10), "yellow");
  EXPECT_STREQ(color(19.9), "yellow");
  EXPECT_STREQ(color(20), "none");
  EXPECT_STREQ(color(kInfinity), "none");
}

TEST(TableReportTest, ColorsChangeNothingElse) {
  const std::string painted = ToTable(ResNet(), {true, false, 80});
  EXPECT_EQ(absl::StrReplaceAll(painted, {{"\x1b[0m", ""},
                                          {"\x1b[1m", ""},
                                          {"\x1b[31m", ""},
                                          {"\x1b[33m", ""}}),
            ToTable(ResNet(), {false, false, 80}));
}

TEST(TableReportTest, FitsTheTerminalWithDistinctNames) {
  ComparisonResult result = ResNet();
  result.has_shadows = true;
  const size_t count = result.layers.size();
  for (int width = 1; width < 150; ++width) {
    const std::string text = ToTable(result, {false, false, width});
    const std::vector<std::string> names = RowNames(text);
    EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), count)
        << text;
    for (const std::string& line : TableLines(text)) {
      EXPECT_TRUE(width < 65 || Width(line) <= static_cast<size_t>(width))
          << "in " << width << " columns: " << line;
      EXPECT_FALSE(absl::EndsWith(line, " ")) << line;
    }
  }
}

TEST(TableReportTest, AllColumnsFitATerminalOf80) {
  ComparisonResult result = ResNet();
  result.has_shadows = result.has_kernels = true;
  for (const int width : {80, 100}) {
    const std::string text = ToTable(result, {false, false, width});
    for (const std::string& line : TableLines(text)) {
      EXPECT_LE(Width(line), static_cast<size_t>(width)) << line;
    }
    EXPECT_EQ(absl::StrContains(text, "subgraph"), width == 100) << text;
  }
}

TEST(TableReportTest, KeepsNamesWhereOnlyTheirMiddlesDiffer) {
  const ComparisonResult result =
      Result({Layer("aaaaaaaaaaaaaaaa1aaaaaaaaaaaaaaaa", 1),
              Layer("aaaaaaaaaaaaaaaa2aaaaaaaaaaaaaaaa", 1)});
  const std::vector<std::string> names =
      RowNames(ToTable(result, {false, false, 20}));
  EXPECT_NE(names[0], names[1]);
}

TEST(TableReportTest, AlignsByCodePoints) {
  const ComparisonResult result =
      Result({Layer("größe.µ", 30), Layer("abcdefg", 30)});
  const std::vector<std::string> lines = TableLines(ToTable(result, {}));
  EXPECT_EQ(Width(lines[3]), Width(lines[4]));
}

TEST(TableReportTest, NeverCutsACodePoint) {
  std::vector<LayerComparison> layers;
  layers.reserve(12);
  for (int i = 0; i < 12; ++i) {
    layers.push_back(
        Layer(absl::StrCat("層層層層層層層", i, "層層層層層層"), 1));
  }
  for (int width = 1; width < 100; ++width) {
    for (std::string name :
         RowNames(ToTable(Result(layers), {false, false, width}))) {
      name = absl::StrReplaceAll(name, {{"層", ""}, {"…", ""}});
      EXPECT_LE(name.size(), 2) << "more than the digits is left: " << name;
    }
  }
}

TEST(TableReportTest, EscapesControlCharacters) {
  ComparisonResult result = Result({Layer("a\x1b[2J\xc2\x9b\n", 30)});
  result.unmatched = {{"float", "x\ry", "aten::add", "why\x7f"}};
  for (const std::string& text :
       {ToTable(result, {}), ToMatchTable(result, {})}) {
    EXPECT_THAT(text, HasSubstr("a\\x1b[2J\\x9b\\x0a "));
    EXPECT_THAT(text, HasSubstr("x\\x0dy (add)"));
    EXPECT_THAT(text, HasSubstr("  why\\x7f\n"));
  }
}

TEST(MatchTableTest, ShowsBothSubgraphsWithTheirModules) {
  ComparisonResult result = Result({Layer("fc", 30), Layer("in.quantize", {})});
  result.batches = 0;
  result.layers[0].float_side.fqn_inferred = true;
  result.layers[1].float_side = {};
  EXPECT_EQ(ToMatchTable(result, {}),
            R"(             float                                  quantized
layer        subgraph (module)                      subgraph (module)
─────────────────────────────────────────────────────────────────────────────
fc           conv2d+batch_norm+relu (fc, inferred)  conv2d_relu (fc)
in.quantize  -                                      conv2d_relu (in.quantize)

2 layers matched (aligned)
)");
}

}  // namespace
}  // namespace ns
