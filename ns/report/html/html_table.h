// Renders results as HTML tables, for a browser without JavaScript.
#ifndef NS_REPORT_HTML_HTML_TABLE_H_
#define NS_REPORT_HTML_HTML_TABLE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "llvm/Support/JSON.h"

namespace ns {

// Returns `<table id="layer-table">`, with a row for each element of the array
// "layers" of `report`. `report` is the JSON that ns compare, sensitivity,
// quantize or search writes. Its member "schema" decides the columns:
//
// - "ns.sensitivity/1": the SQNR of each candidate in dB, and what to use;
// - "ns.search/1": the choice, its share of the noise, and the time;
// - "ns.quantize/1": the qconfig, and the rule that chose it;
// - any other: the two ops, and the SQNR in dB of all kinds (ns compare).
//
// A column that is empty in all rows is left out. Members that are missing or
// of another type make empty cells. Cells of numbers have the class "number".
// Those in dB also have "low" below 10 dB, and "middling" from 10 to below 20
// dB. Text is escaped.
std::string LayerTableHtml(const llvm::json::Value& report);

// Does so for `layers`, the texts of the elements of that array, which are
// parsed one by one: parsed together, those of a large model take gigabytes.
// Error: a text that is not JSON.
absl::StatusOr<std::string> LayerTableHtml(
    const llvm::json::Value& report,
    absl::Span<const absl::string_view> layers);

// Returns the table of the ops without a counterpart in the other model: the
// array "unmatched" of `report`. Empty when there are none.
std::string UnmatchedTableHtml(const llvm::json::Value& report);

}  // namespace ns

#endif  // NS_REPORT_HTML_HTML_TABLE_H_
