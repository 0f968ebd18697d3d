// Checks where a TorchScript file says that its code comes from, before
// LibTorch believes it.
#ifndef IR_FILES_CHECK_DEBUG_PICKLE_H_
#define IR_FILES_CHECK_DEBUG_PICKLE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ns {

// Checks the content of a record "code/....py.debug_pkl": for places in the
// code, the source text that they were compiled from. LibTorch parses it when a
// message needs it, and does not check that lengths, tuples, and indices into
// the table of texts are inside what there is. Any bytes are safe. Error: a
// phrase, "the pickle ..." or "a source range ...".
absl::Status CheckDebugPickle(absl::string_view content);

}  // namespace ns

#endif  // IR_FILES_CHECK_DEBUG_PICKLE_H_
