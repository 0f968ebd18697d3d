// Takes JSON apart whose parsed form would need too much memory as a whole:
// llvm::json::Object takes 4 KB, however few members it has.
#ifndef IR_JSON_SPLIT_LIST_H_
#define IR_JSON_SPLIT_LIST_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

struct SplitText {
  // The text with an empty list in place of the one that was split.
  std::string rest;
  // The texts of its elements, in order. They are parts of the original text.
  std::vector<absl::string_view> elements;
};

// Splits `text`, an object, at its member `name`, a list. Absent where there is
// no such member, it is not a list, or an element is missing. Does not check
// the text: it is valid JSON if `rest` and all elements are.
std::optional<SplitText> SplitList(absl::string_view text,
                                   absl::string_view name);

}  // namespace ns

#endif  // IR_JSON_SPLIT_LIST_H_
