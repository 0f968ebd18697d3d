// The version of ns.
#ifndef TOOLS_COMMAND_LINE_VERSION_H_
#define TOOLS_COMMAND_LINE_VERSION_H_

namespace ns {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_VERSION_H_
