// What `ns quantize --help` prints: its flags, and what the command does.
#ifndef TOOLS_FLAGS_QUANTIZE_SPEC_H_
#define TOOLS_FLAGS_QUANTIZE_SPEC_H_

#include "tools/command_line/command_line.h"

namespace ns {

const CommandSpec& QuantizeSpec();

}  // namespace ns

#endif  // TOOLS_FLAGS_QUANTIZE_SPEC_H_
