// Checks what a TorchScript file says of its tensors against what it holds,
// before LibTorch believes it.
#ifndef IR_FILES_CHECK_MODULE_PICKLE_H_
#define IR_FILES_CHECK_MODULE_PICKLE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ir/files/module_archive.h"

namespace ns {

// Checks the record "<name>.pkl" of an archive, where `name` is "data" or
// "constants". The archive must have it: ask ModuleArchive::Has first. LibTorch
// does not check these claims of the record itself:
//  * every tensor is inside its storage, and that inside its record;
//  * quantized tensors have a scale and a zero point for each channel;
//  * weights of quantized layers have elements;
//  * convolutions have strides, dilations and groups of at least 1, and no
//    negative padding: LibTorch divides by some of them;
//  * types nest no deeper than LibTorch's parser can follow.
// The record may hold any bytes; malformed ones are an error. Messages leave
// out the file's path: the caller puts "<path>: " in front.
absl::Status CheckModulePickle(const ModuleArchive& archive,
                               absl::string_view name);

}  // namespace ns

#endif  // IR_FILES_CHECK_MODULE_PICKLE_H_
