#include "ir/graph/module_path.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/scope.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/base/symbol_text.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Scope;

// A scope's name is "<fqn>@<call index>(<type>)". The '@' is always there: it
// tells the scopes of this file from those that tracing leaves. Modules may
// have any name, so some characters are escaped: the first '(' must be the one
// before the type, a symbol ends at a NUL, and control characters would garble
// dumps of the IR.
constexpr char kCallMark = '@';
constexpr char kEscape = '%';
constexpr size_t kHexDigits = 2;  // of "%28"

bool NeedsEscape(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F || c == '(' || c == kEscape;
}

std::string Escaped(absl::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (NeedsEscape(c)) {
      const auto byte = static_cast<unsigned char>(c);
      escaped += kEscape;
      absl::StrAppend(&escaped, absl::Hex(byte, absl::kZeroPad2));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// Reverses Escaped.
std::string Unescaped(absl::string_view escaped) {
  std::string name;
  for (size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] == kEscape) {
      int byte = 0;
      TORCH_INTERNAL_ASSERT(
          absl::SimpleHexAtoi(escaped.substr(i + 1, kHexDigits), &byte));
      name += static_cast<char>(byte);
      i += kHexDigits;
    } else {
      name += escaped[i];
    }
  }
  return name;
}

// Keeps names that had to be unescaped, each once, for as long as the process
// lives.
class UnescapedNames {
 public:
  absl::string_view Of(absl::string_view escaped) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const std::string>& name = names_[escaped];
    if (name == nullptr) {
      name = std::make_unique<const std::string>(Unescaped(escaped));
    }
    return *name;
  }

 private:
  std::mutex mutex_;
  absl::flat_hash_map<std::string, std::unique_ptr<const std::string>> names_;
};

// Returns the name that `interned`, a part of a symbol, stands for.
absl::string_view NameOf(absl::string_view interned) {
  if (!absl::StrContains(interned, kEscape)) {
    return interned;
  }
  static UnescapedNames& names = *new UnescapedNames;
  return names.Of(interned);
}

}  // namespace

std::string JoinPath(absl::string_view parent, absl::string_view name) {
  return absl::StrCat(parent, parent.empty() || name.empty() ? "" : ".", name);
}

std::string CallName(const ModulePath& path) {
  return path.call_index == 0 ? std::string(path.fqn)
                              : absl::StrCat(path.fqn, "@", path.call_index);
}

ModulePath ModulePathOf(const Node& node) {
  const auto scope = const_cast<Node&>(node).scope();
  if (!scope || scope->isRoot()) {
    return {};
  }
  const absl::string_view name = UnqualifiedText(scope->name());
  const size_t open = name.find('(');
  const size_t mark = name.substr(0, open).rfind(kCallMark);
  if (open == absl::string_view::npos || mark == absl::string_view::npos) {
    return {};
  }
  ModulePath path;
  path.fqn = NameOf(name.substr(0, mark));
  path.type = NameOf(name.substr(open + 1, name.size() - open - 2));
  if (!absl::SimpleAtoi(name.substr(mark + 1, open - mark - 1),
                        &path.call_index)) {
    return {};
  }
  return path;
}

c10::intrusive_ptr<Scope> ScopeFor(const ModulePath& path,
                                   const c10::intrusive_ptr<Scope>& parent) {
  return parent->push(c10::Symbol::scope(absl::StrCat(
      Escaped(path.fqn), "@", path.call_index, "(", Escaped(path.type), ")")));
}

std::string UnmangledTypeName(const std::string& qualified_name) {
  std::vector<absl::string_view> parts;
  for (absl::string_view part :
       absl::StrSplit(absl::StripPrefix(qualified_name, "__torch__."), '.')) {
    if (!absl::StartsWith(part, "___torch_mangle_")) {
      parts.push_back(part);
    }
  }
  return absl::StrJoin(parts, ".");
}

bool IsTypeNamed(absl::string_view type, absl::string_view name) {
  const auto without_ao = [](absl::string_view full) {
    const bool is_ao = absl::ConsumePrefix(&full, "torch.ao.");
    return is_ao ? absl::StrCat("torch.", full) : std::string(full);
  };
  const size_t last_dot = type.rfind('.');
  return name == (last_dot == absl::string_view::npos
                      ? type
                      : type.substr(last_dot + 1)) ||
         without_ao(type) == without_ao(name);
}

bool IsFusedModule(absl::string_view type) {
  return absl::StartsWith(type, "torch.nn.intrinsic.") ||
         absl::StartsWith(type, "torch.ao.nn.intrinsic.");
}

}  // namespace ns
