// Writes a comparison for Google's Model Explorer, which draws graphs in a
// browser and colours nodes by figures.
//
// The formats are those of its JSON graphs ("a list of graphs") and of its node
// data, as github.com/google-ai-edge/model-explorer documents them.
#ifndef NS_REPORT_HTML_MODEL_EXPLORER_H_
#define NS_REPORT_HTML_MODEL_EXPLORER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

struct ExportedFile {
  std::string name;  // without a folder
  std::string text;
};

// Returns the files for `json`, what `ns compare --json --graph` writes:
//
//   graphs.json               [{"id": "float", "nodes": [...]},
//                              {"id": "quantized", "nodes": [...]}]
//   weight_sqnr_db.json,      {"float": {"results": {"0": {"value": 40.1}},
//   activation_sqnr_db.json,             "gradient": [...]},
//   shadow_sqnr_db.json        "quantized": ...}
//
// Ids of nodes are those of the comparison's graph; module paths are their
// namespaces. The node data is that of the layer a node belongs to; of several
// weights, it is the lowest SQNR. Figures that are no finite numbers, which
// JSON does not have, are left out, and so are files without figures. Error, of
// one line: text that is no JSON, is of another schema, or has no graph.
absl::StatusOr<std::vector<ExportedFile>> ToModelExplorer(
    absl::string_view json);

}  // namespace ns

#endif  // NS_REPORT_HTML_MODEL_EXPLORER_H_
