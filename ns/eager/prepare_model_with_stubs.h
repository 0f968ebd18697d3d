// Adds float modules as shadows to the quantized modules that were made from
// them.
#ifndef NS_EAGER_PREPARE_MODEL_WITH_STUBS_H_
#define NS_EAGER_PREPARE_MODEL_WITH_STUBS_H_

#include <torch/csrc/jit/api/module.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/logger_info.h"

namespace ns {

struct StubOptions {
  // Makes the logger of a module: an object with a method `forward(Tensor
  // quantized, Tensor float)`. If it is null, torch.classes.ns.ShadowLogger is
  // used.
  LoggerFactory logger = nullptr;
  // Whether to reproduce what PyTorch's ShadowLogger does wrong: of a tensor
  // with several samples it keeps only the first. (Of a tuple, PyTorch's
  // keeps the first tensor alone, and whole. Here each tensor has a logger that
  // keeps it whole in any case.) Loggers other than the default are not
  // affected.
  bool compat = false;
  // The method of the quantized model that will be run. Modules are shadowed
  // where its code calls them.
  std::string method = "forward";
};

// Returns a copy of `quantized_module` in which modules are shadowed by their
// float counterparts, the modules of `float_module` at the same path, where
// these are of a type in `module_swap_list` (see shadow.h). What the model
// returns stays as it was, bit for bit. After runs, GetLoggerDict
// (logger_dict.h) of its module has a record for each, named "<path>.stats". A
// module that returns a tuple has a logger for each tensor in it that the float
// module returns, too. (In PyTorch's eager suite it is
// prepare_model_with_stubs.)
//
// Types are qualified or bare (see IsTypeNamed). A module inside a shadowed one
// is not shadowed itself. A listed module of which nothing was quantized, since
// its type and those of all modules inside it are the same in both models, is
// not shadowed, nor is anything in it. A listed block whose own type stayed,
// but not that of a module in it, is shadowed as a whole. A module that is
// never called gets no logger; one that is called several times, inside control
// flow or not, has one for all calls. Calls of other methods than forward are
// shadowed only where forward is never called (see ForwardCalls in
// forward_calls.h).
//
// Errors: a list that names no module of the float model; a module whose float
// counterpart does not take the same arguments; a logger with the wrong
// signature.
absl::StatusOr<ModelGraph> PrepareModelWithStubs(
    const torch::jit::Module& float_module,
    const torch::jit::Module& quantized_module,
    const std::vector<std::string>& module_swap_list,
    const StubOptions& options = {});

}  // namespace ns

#endif  // NS_EAGER_PREPARE_MODEL_WITH_STUBS_H_
