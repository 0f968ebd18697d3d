#include <torch/csrc/jit/api/module.h>

#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/base/status.h"
#include "ir/files/atomic_file.h"
#include "ir/files/module_file.h"
#include "ir/hierarchy/module_editor.h"
#include "ir/model/model_graph.h"
#include "ns/eager/module_tree.h"
#include "ns/quantization/eager/fuse_modules.h"
#include "ns/result/printable.h"
#include "tools/command_line/output_files.h"
#include "tools/command_line/report_output.h"
#include "tools/command_line/short_lines.h"
#include "tools/commands/commands.h"

namespace ns {
namespace {

using ::torch::jit::Module;

constexpr FlagSpec kFlags[] = {
    {"in", "PATH", "the float model, saved by torch.jit.save"},
    {"out", "PATH", "where the fused model goes"},
    {"modules", "CHAINS",
     "what to fuse: the paths of a chain with +, chains with commas, "
     "conv1+bn1+relu,fc+relu2; default: all that is found"},
    {"qat", "",
     "fuse for training: batch norms stay, as parts of ConvBn modules, and the "
     "model is switched to training"},
    {"load-library", "PATHS",
     "shared libraries that register ops of the model, with commas"},
    {"quiet", "", "do not list what was fused"},
};

constexpr absl::string_view kPositionals[] = {"in", "out"};

constexpr CommandSpec kSpec = {
    "fuse",
    "fuses convolutions, linear layers, batch norms and ReLUs of a hierarchy",
    "ns fuse IN OUT [--flag=value ...]",
    "The first module of a chain becomes the fused one, and the others\n"
    "identities, as torch.ao.quantization.fuse_modules has it: a batch norm\n"
    "is folded into the layer in front of it, and a ReLU makes a ConvReLU2d\n"
    "or the like of that. Without --modules, chains are found by data flow:\n"
    "in every call, loops included, the next module alone takes the output\n"
    "of each. A module that is also called in another way stays.\n",
    kFlags,
    "ns fuse tools/demo/float.pt fused.pt",
    kPositionals,
};

struct Options {
  std::string in;
  std::string out;
  std::vector<std::vector<std::string>> chains;
  bool qat = false;
  bool quiet = false;
  ModelOrigin origin;
};

absl::StatusOr<Options> ParseOptions(const Flags& flags) {
  Options options;
  NS_ASSIGN_OR_RETURN(options.in, flags.Required("in"));
  NS_ASSIGN_OR_RETURN(options.out, flags.Required("out"));
  const std::vector<PathFlag> outputs = {{"out", options.out}};
  NS_RETURN_IF_ERROR(CheckAreFiles(outputs));
  NS_RETURN_IF_ERROR(CheckDistinct(outputs, {{"in", options.in}}));
  NS_ASSIGN_OR_RETURN(const std::vector<std::string> chains,
                      flags.List("modules"));
  for (const std::string& chain : chains) {
    options.chains.push_back(absl::StrSplit(chain, '+'));
  }
  options.qat = flags.Has("qat");
  options.quiet = flags.Has("quiet");
  options.origin = {flags.CommandText(), {options.in}};
  return options;
}

absl::Status FuseFile(const Options& options) {
  NS_RETURN_IF_ERROR(PrepareOutputs({options.out}));
  NS_ASSIGN_OR_RETURN(const Module loaded, LoadModule(options.in));
  NS_ASSIGN_OR_RETURN(ModuleEditor model,
                      Annotated(options.in, ModuleEditor::Copy(loaded)));
  std::vector<std::vector<std::string>> chains = options.chains;
  if (chains.empty()) {
    NS_ASSIGN_OR_RETURN(
        chains, Annotated(options.in, FindFusableModules(loaded, options.qat)));
  }
  if (chains.empty()) {
    return absl::NotFoundError(
        options.in + ": there is nothing to fuse; name chains with --modules");
  }
  model.root().train(options.qat);
  FuseModulesOptions fuse;
  fuse.inplace = true;
  fuse.qat = options.qat;
  NS_ASSIGN_OR_RETURN(
      const Module fused,
      Annotated(options.in, FuseModules(model.root(), chains, fuse)));
  NS_ASSIGN_OR_RETURN(ModelGraph file, ModelGraph::AroundModule(fused));
  NS_RETURN_IF_ERROR(WriteFilesAtomically(
      {ModelFile(std::move(file), options.out, options.origin)}));
  if (options.quiet) {
    return absl::OkStatus();
  }
  const std::map<std::string, std::string> types = TypesByPath(fused);
  std::printf("%s: fused %zu %s of modules\n", options.out.c_str(),
              chains.size(), chains.size() == 1 ? "chain" : "chains");
  for (const std::vector<std::string>& chain : chains) {
    const std::string& type = types.at(chain.front());
    const std::string line = absl::StrCat(absl::StrJoin(chain, " + "), ": ",
                                          type.substr(type.rfind('.') + 1));
    std::printf("  %s\n", ShortLines(Printable(line)).c_str());
  }
  return absl::OkStatus();
}

CommandOutcome Run(const Flags& flags) {
  const absl::StatusOr<Options> options = ParseOptions(flags);
  return options.ok() ? CommandOutcome::Done(FuseFile(*options))
                      : CommandOutcome::WrongUsage(options.status());
}

}  // namespace

Command FuseCommand() { return {&kSpec, Run}; }

}  // namespace ns
