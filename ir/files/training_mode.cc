#include "ir/files/training_mode.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "ir/files/input_file.h"
#include "ir/files/module_archive.h"
#include "ir/files/pickle.h"
#include "llvm/ADT/DenseSet.h"

namespace ns {
namespace {

using Kind = PickleValue::Kind;

constexpr char kTrainingFlag[] = "training";

// True for text that reads the attribute "training" of some module.
bool ReadsTrainingFlag(absl::string_view code) {
  const std::string access = absl::StrCat(".", kTrainingFlag);
  for (size_t at = code.find(access); at != absl::string_view::npos;
       at = code.find(access, at + 1)) {
    const size_t end = at + access.size();
    if (end == code.size() ||
        !(absl::ascii_isalnum(static_cast<unsigned char>(code[end])) ||
          code[end] == '_')) {
      return true;
    }
  }
  return false;
}

// Finds the code of classes in an archive.
class ClassCode {
 public:
  explicit ClassCode(const ModuleArchive& archive) : archive_(archive) {}

  // Whether the code of `type`, "__torch__.nets.Head", asks for the mode.
  bool AsksForMode(const std::string& type) {
    const auto [it, is_new] = asks_.try_emplace(type, false);
    if (is_new) {
      it->second = ReadsTrainingFlag(CodeOf(type));
    }
    return it->second;
  }

 private:
  // Returns the definition of the class; empty where there is none.
  std::string CodeOf(const std::string& type) const {
    const size_t dot = type.rfind('.');
    if (dot == std::string::npos) {
      return "";
    }
    const std::string record = absl::StrCat(
        "code/", absl::StrReplaceAll(type.substr(0, dot), {{".", "/"}}), ".py");
    const auto content = archive_.Has(record) ? archive_.Read(record)
                                              : absl::StatusOr<std::string>("");
    if (!content.ok()) {
      return "";
    }
    const std::string header =
        absl::StrCat("class ", type.substr(dot + 1), "(");
    const size_t start = absl::StartsWith(*content, header)
                             ? 0
                             : content->find(absl::StrCat("\n", header));
    if (start == std::string::npos) {
      return "";
    }
    const size_t end = content->find("\nclass ", start + 1);
    return content->substr(
        start, end == std::string::npos ? std::string::npos : end - start);
  }

  const ModuleArchive& archive_;
  absl::flat_hash_map<std::string, bool> asks_;
};

class Finder {
 public:
  explicit Finder(const ModuleArchive& archive) : code_(archive) {}

  // Looks at an object and at what its attributes hold.
  std::optional<TrainingModule> Find(const PickleValue& object,
                                     const std::string& path) {
    if (object.kind != Kind::kCall || object.state == nullptr ||
        object.state->kind != Kind::kDict || !seen_.insert(&object).second) {
      return std::nullopt;
    }
    const std::string& type = object.items[0]->text;
    const auto& state = object.state->items;
    for (size_t i = 0; i + 1 < state.size(); i += 2) {
      if (state[i]->text == kTrainingFlag &&
          state[i + 1]->kind == Kind::kBool && state[i + 1]->integer != 0 &&
          code_.AsksForMode(type)) {
        return TrainingModule{path, type.substr(type.rfind('.') + 1)};
      }
    }
    for (size_t i = 0; i + 1 < state.size(); i += 2) {
      std::optional<TrainingModule> found =
          Find(*state[i + 1],
               absl::StrCat(path, path.empty() ? "" : ".", state[i]->text));
      if (found) {
        return found;
      }
    }
    return std::nullopt;
  }

 private:
  ClassCode code_;
  llvm::DenseSet<const PickleValue*> seen_;
};

}  // namespace

std::optional<TrainingModule> FindTrainingModule(absl::string_view path) {
  const auto file = InputFile::Open(std::string(path), "torch.jit.save");
  if (!file.ok()) {
    return std::nullopt;
  }
  const auto archive = ModuleArchive::Open(*file);
  if (!archive.ok() || !(*archive)->Has("data.pkl")) {
    return std::nullopt;
  }
  const auto content = (*archive)->Read("data.pkl");
  if (!content.ok()) {
    return std::nullopt;
  }
  PickleOptions options;
  options.keep_state = true;
  options.for_libtorch = true;
  options.max_depth = 1000;  // two levels for each level of modules
  const auto root = ParsePickle(*content, options);
  return root.ok() ? Finder(**archive).Find(**root, "") : std::nullopt;
}

std::optional<std::string> TrainingModeWarning(absl::string_view path) {
  const std::optional<TrainingModule> found = FindTrainingModule(path);
  if (!found) {
    return std::nullopt;
  }
  return absl::StrCat(
      path, " was saved in training mode (",
      found->path.empty()
          ? found->type
          : absl::StrCat("'", found->path, "' (", found->type, ")"),
      ") and is used in evaluation mode here; call model.eval() before "
      "torch.jit.save");
}

}  // namespace ns
