// Renders results as HTML tables, for a browser without JavaScript.
#ifndef NS_REPORT_HTML_TABLE_H_
#define NS_REPORT_HTML_TABLE_H_

#include <string>

#include "nlohmann/json.hpp"

namespace ns {

// Returns the <table id="layer-table"> of a report: for a comparison a row for
// each layer with its ops and SQNR in dB; for the results of ns sensitivity,
// quantize and search a row with what each has found. Columns that no layer has
// a figure for are left out. Cells of numbers have the class "number", those
// below 10 dB and 20 dB also "low" and "middling".
std::string LayerTableHtml(const nlohmann::json& report);

// Returns the table of ops that the other model has nothing for; empty when
// there are none.
std::string UnmatchedTableHtml(const nlohmann::json& report);

}  // namespace ns

#endif  // NS_REPORT_HTML_TABLE_H_
