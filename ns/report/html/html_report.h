// Makes the HTML report of a comparison: one file that needs no other.
//
// It holds the verdict and the table of layers as plain HTML, which a browser
// shows without JavaScript; the whole JSON and the layout of the graph
// (ns/report/graph/graph_layout.h), for the page's script (ns/report/page); and
// that script and its style. A content security policy forbids every request
// and any other script. Text from models is escaped, wherever it stands.
#ifndef NS_REPORT_HTML_HTML_REPORT_H_
#define NS_REPORT_HTML_HTML_REPORT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// Returns the page for `json`, what `ns compare --json` writes (ToJson in
// ns/report/json/json_report.h), `ns sensitivity`, `ns quantize` or `ns
// search`. Equal JSON gives equal bytes. Error, of one line: text that is no
// JSON, or is of another schema.
absl::StatusOr<std::string> ToHtml(absl::string_view json);

// An earlier comparison.
struct EarlierComparison {
  // Its name on the page.
  std::string path;
  // Only the page's script reads it, and says so where it is none.
  absl::string_view json;
};

// Returns the page for `json`, a comparison, which shows differences to
// `earlier` at first. Error, of one line: `json` is no comparison.
absl::StatusOr<std::string> ToHtmlOfDiff(absl::string_view json,
                                         const EarlierComparison& earlier);

}  // namespace ns

#endif  // NS_REPORT_HTML_HTML_REPORT_H_
