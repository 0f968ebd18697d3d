#include "passes/instrument/scripted_logger.h"

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/module_file.h"

namespace ns {

absl::StatusOr<LoggerFactory> LoadScriptedLogger(absl::string_view path,
                                                 size_t arity) {
  NS_ASSIGN_OR_RETURN(torch::jit::Module module, LoadModule(path));
  NS_RETURN_IF_ERROR(Annotated(path, CheckLogger(module._ivalue(), arity)));
  return [module = std::move(module),
          path = std::string(path)](const LoggerInfo&) {
    return CatchTorchErrors(absl::StrCat(path, ": copying the logger"), [&] {
      return c10::IValue(module.deepcopy()._ivalue());
    });
  };
}

}  // namespace ns
