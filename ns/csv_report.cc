#include "ns/csv_report.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "ns/comparison_result.h"
#include "ns/json_writer.h"

namespace ns {
namespace {

constexpr absl::string_view kHeader =
    "name,kind,parameter,float_fqn,float_op,quantized_fqn,quantized_op,shape,"
    "sqnr_db,normalized_l2,cosine,max_abs_error,batches\n";

std::string Quoted(absl::string_view field) {
  if (field.find_first_of(",\"\r\n") == absl::string_view::npos) {
    return std::string(field);
  }
  return absl::StrCat("\"", absl::StrReplaceAll(field, {{"\"", "\"\""}}), "\"");
}

void AppendRow(const LayerComparison& layer, absl::string_view kind,
               absl::string_view parameter, const std::vector<int64_t>& shape,
               const ErrorFigures& error, absl::string_view batches,
               std::string& csv) {
  const std::vector<std::string> fields = {
      Quoted(layer.name),
      std::string(kind),
      Quoted(parameter),
      Quoted(layer.float_side.fqn),
      Quoted(layer.float_side.op),
      Quoted(layer.quantized_side.fqn),
      Quoted(layer.quantized_side.op),
      absl::StrJoin(shape, "x"),
      FormatDouble(error.sqnr_db),
      FormatDouble(error.normalized_l2),
      FormatDouble(error.cosine),
      FormatDouble(error.max_abs_error),
      std::string(batches),
  };
  absl::StrAppend(&csv, absl::StrJoin(fields, ","), "\n");
}

void AppendActivation(const LayerComparison& layer, absl::string_view kind,
                      const ActivationComparison& activation,
                      std::string& csv) {
  AppendRow(layer, kind, "", activation.shape, activation.error,
            absl::StrCat(activation.batch_sqnr_db.size()), csv);
}

}  // namespace

std::string ToCsv(const ComparisonResult& result) {
  std::string csv(kHeader);
  for (const LayerComparison& layer : result.layers) {
    for (const WeightComparison& weight : layer.weights) {
      AppendRow(layer, "weight", weight.name, weight.shape, weight.error, "",
                csv);
    }
    if (layer.activation.has_value()) {
      AppendActivation(layer, "activation", *layer.activation, csv);
    }
    if (layer.shadow.has_value()) {
      AppendActivation(layer, "shadow", *layer.shadow, csv);
    }
  }
  if (result.stubs.has_value()) {
    for (const StubComparison& stub : *result.stubs) {
      LayerComparison layer;
      layer.name = layer.float_side.fqn = layer.quantized_side.fqn = stub.name;
      layer.float_side.op = stub.float_type;
      layer.quantized_side.op = stub.quantized_type;
      AppendActivation(layer, "stub", stub.figures, csv);
    }
  }
  return csv;
}

}  // namespace ns
