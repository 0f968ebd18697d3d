// Says in a few sentences what a command found, from its JSON.
#ifndef NS_REPORT_HTML_RESULT_SENTENCES_H_
#define NS_REPORT_HTML_RESULT_SENTENCES_H_

#include <string>
#include <vector>

#include "llvm/Support/JSON.h"

namespace ns {

// Returns sentences about `report`, the JSON of a command, at least one: the
// verdict of ns compare, or what ns sensitivity, quantize or search measured.
// Where the JSON has none of these, the sentence is the number of layers. Names
// of layers are not escaped: do that before the text goes into HTML.
std::vector<std::string> ResultSentences(const llvm::json::Value& report);

}  // namespace ns

#endif  // NS_REPORT_HTML_RESULT_SENTENCES_H_
