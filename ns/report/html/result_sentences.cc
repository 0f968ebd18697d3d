#include "ns/report/html/result_sentences.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/json/json_value.h"
#include "ns/findings/figure_text.h"
#include "ns/report/html/lowest_sqnr.h"

namespace ns {
namespace {

using Json = llvm::json::Value;
using Sentences = std::vector<std::string>;

// Returns "1 layer", "3 layers".
std::string Layers(size_t count) {
  return absl::StrCat(count, count == 1 ? " layer" : " layers");
}

// Returns "1.23 ms".
std::string Milliseconds(double microseconds) {
  constexpr double kPerMillisecond = 1000;
  return absl::StrCat(FormatFigure(microseconds / kPerMillisecond), " ms");
}

Sentences VerdictSentences(const Json& report) {
  Sentences sentences;
  if (const Json* verdict = FindMember(report, "verdict")) {
    for (const Json& sentence : ArrayMember(*verdict, "sentences")) {
      if (const std::optional<std::string> text = TextOf(sentence)) {
        sentences.push_back(*text);
      }
    }
  }
  return sentences;
}

Sentences SensitivitySentences(const Json& report) {
  Sentences sentences;
  std::string layer_name;
  std::optional<NamedDb> lowest;
  for (const Json& layer : ArrayMember(report, "layers")) {
    const std::optional<NamedDb> of_layer =
        LowestSqnr(ArrayMember(layer, "candidates"));
    if (of_layer && (!lowest || IsLowerDb(of_layer->db, lowest->db))) {
      lowest = of_layer;
      layer_name = TextMember(layer, "name");
    }
  }
  if (lowest) {
    sentences.push_back(absl::StrCat(
        layer_name, " has the lowest SQNR: ", DbWithUnit(lowest->db), " as ",
        lowest->name, "."));
  }
  const Json* budget = FindMember(report, "budget");
  const auto db =
      budget == nullptr ? std::nullopt : NumberMember(*budget, "sqnr_db");
  if (db) {
    const size_t kept = ArrayMember(*budget, "keep_in_float").size();
    sentences.push_back(
        absl::StrCat("For ", DbWithUnit(*db), ", ", Layers(kept),
                     kept == 1 ? " stays in float." : " stay in float."));
  }
  return sentences;
}

Sentences QuantizeSentences(const Json& report) {
  const size_t stayed = ArrayMember(report, "stayed_float").size();
  Sentences sentences = {absl::StrCat(
      Layers(ArrayMember(report, "layers").size()), " quantized, ", stayed,
      stayed == 1 ? " op stayed in float." : " ops stayed in float.")};
  if (const auto lowest = LowestSqnr(ArrayMember(report, "output_sqnr_db"))) {
    sentences.push_back(absl::StrCat("The lowest SQNR of the outputs is ",
                                     DbWithUnit(lowest->db), ", of ",
                                     lowest->name, "."));
  }
  return sentences;
}

Sentences SearchSentences(const Json& report) {
  Sentences sentences;
  const Json* measured = FindMember(report, "measured");
  if (measured == nullptr) {
    return sentences;
  }
  if (const auto db = NumberMember(*measured, "sqnr_db")) {
    sentences.push_back(
        absl::StrCat("The recipe has ", DbWithUnit(*db), " on the outputs."));
  }
  const auto time = NumberMember(*measured, "time_us");
  const auto float_time = NumberMember(*measured, "float_time_us");
  if (time && float_time) {
    sentences.push_back(absl::StrCat("A batch takes ", Milliseconds(*time),
                                     ", and ", Milliseconds(*float_time),
                                     " in float."));
  }
  return sentences;
}

}  // namespace

Sentences ResultSentences(const Json& report) {
  const std::string schema = TextMember(report, "schema");
  const Sentences sentences =
      schema == "ns.sensitivity/1" ? SensitivitySentences(report)
      : schema == "ns.quantize/1"  ? QuantizeSentences(report)
      : schema == "ns.search/1"    ? SearchSentences(report)
                                   : VerdictSentences(report);
  return !sentences.empty()
             ? sentences
             : Sentences{absl::StrCat(
                   Layers(ArrayMember(report, "layers").size()), ".")};
}

}  // namespace ns
