// The command-line tool: ns COMMAND [--flag=value ...].

#include <string>
#include <vector>

#include "tools/commands/commands.h"
#include "tools/commands/run_ns.h"
#include "tools/commands/run_tool.h"

int main(int argc, char** argv) {
  if (!ns::PrepareProcess("ns")) {
    return static_cast<int>(ns::ExitCode::kBadInput);
  }
  return ns::RunNs(std::vector<std::string>(argv + 1, argv + argc));
}
