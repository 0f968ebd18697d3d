// Checks the code of a TorchScript file before LibTorch's parser sees it.
#ifndef IR_FILES_CHECK_MODULE_CODE_H_
#define IR_FILES_CHECK_MODULE_CODE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ns {

// Checks the content of a record "code/....py". LibTorch does not check itself
// that
//  * the code nests no deeper than its parser can follow (CheckNesting);
//  * a statement in the body of a class has the parts that LibTorch reads of
//    it: a type for an attribute, a value for an enum's member and for a list
//    such as __parameters__.
// Other malformed code is left to the parser. Any bytes are safe. Error: a
// phrase.
absl::Status CheckModuleCode(absl::string_view code);

// Checks the text of a type, such as "List[Tensor]", which a pickle may hold.
// Error: it nests too deep.
absl::Status CheckTypeText(absl::string_view type);

}  // namespace ns

#endif  // IR_FILES_CHECK_MODULE_CODE_H_
