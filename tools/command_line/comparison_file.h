// The files that ns compare --json writes, as text.
#ifndef TOOLS_COMMAND_LINE_COMPARISON_FILE_H_
#define TOOLS_COMMAND_LINE_COMPARISON_FILE_H_

#include <cstddef>

#include "ir/files/read_text_file.h"

namespace ns {

inline constexpr TextFileKind kComparisonFile = {
    "comparison", "ns compare --json", size_t{1} << 30};

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_COMPARISON_FILE_H_
