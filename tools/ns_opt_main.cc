// Runs passes on IR text or on models: ns_opt --passes=a,b [--flag=value ...].

#include <string>
#include <vector>

#include "tools/commands/commands.h"
#include "tools/commands/ns_opt.h"
#include "tools/commands/run_tool.h"

int main(int argc, char** argv) {
  if (!ns::PrepareProcess("ns_opt")) {
    return static_cast<int>(ns::ExitCode::kBadInput);
  }
  return ns::RunNsOpt(std::vector<std::string>(argv + 1, argv + argc));
}
