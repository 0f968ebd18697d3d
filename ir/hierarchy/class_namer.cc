#include "ir/hierarchy/class_namer.h"

#include <torch/csrc/jit/api/compilation_unit.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace ns {
namespace {

constexpr char kMangle[] = "___torch_mangle_";

}  // namespace

c10::QualifiedName ClassNamer::Name(const c10::QualifiedName& name,
                                    const torch::jit::CompilationUnit& unit) {
  while (true) {
    std::vector<std::string> atoms;
    for (const std::string& atom : name.atoms()) {
      if (!absl::StartsWith(atom, kMangle)) {
        atoms.push_back(atom);
      }
    }
    atoms.insert(atoms.end() - 1, absl::StrCat(kMangle, next_++));
    c10::QualifiedName mangled(atoms);
    if (unit.get_class(mangled) == nullptr) {
      return mangled;
    }
  }
}

}  // namespace ns
