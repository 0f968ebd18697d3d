#include "ir/unique_class_name.h"

#include <atomic>
#include <cstdint>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace ns {
namespace {

constexpr char kMangle[] = "___torch_mangle_";

// Far above the numbers that TorchScript gives, which start at 0 for each
// compilation unit.
constexpr int64_t kFirst = 1000000;

}  // namespace

c10::QualifiedName UniqueClassName(const c10::QualifiedName& name) {
  static std::atomic<int64_t> next = kFirst;
  std::vector<std::string> atoms;
  for (const std::string& atom : name.atoms()) {
    if (!absl::StartsWith(atom, kMangle)) {
      atoms.push_back(atom);
    }
  }
  atoms.insert(atoms.end() - 1, absl::StrCat(kMangle, next++));
  return c10::QualifiedName(std::move(atoms));
}

}  // namespace ns
