// Names the outputs of a layer in messages and tables.
#ifndef NS_RESULT_OUTPUT_LABEL_H_
#define NS_RESULT_OUTPUT_LABEL_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace ns {

// "lstm (c_n)", or "lstm" for the first output of a layer, whose name is left
// empty.
inline std::string OutputLabel(absl::string_view layer,
                               absl::string_view output) {
  return output.empty() ? std::string(layer)
                        : absl::StrCat(layer, " (", output, ")");
}

}  // namespace ns

#endif  // NS_RESULT_OUTPUT_LABEL_H_
