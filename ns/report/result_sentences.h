// Says in a few sentences what a command found, from its JSON.
#ifndef NS_REPORT_RESULT_SENTENCES_H_
#define NS_REPORT_RESULT_SENTENCES_H_

#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace ns {

// Returns one to three sentences for `report`: the verdict of ns compare, and
// of ns sensitivity, quantize and search what they measured. Where there is
// nothing of these, the number of layers. The text is as it is in the JSON.
std::vector<std::string> ResultSentences(const nlohmann::json& report);

}  // namespace ns

#endif  // NS_REPORT_RESULT_SENTENCES_H_
