#include "ir/files/module_file.h"

#include <torch/csrc/jit/serialization/import.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/base/checked_divisions.h"
#include "ir/base/engine_error.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/check_debug_pickle.h"
#include "ir/files/check_module_code.h"
#include "ir/files/check_module_pickle.h"
#include "ir/files/foreign_file.h"
#include "ir/files/input_file.h"
#include "ir/files/module_archive.h"

namespace ns {
namespace {

absl::Status Unreadable(absl::string_view why) {
  return absl::InvalidArgumentError(why);
}

// Says what a file that is no archive of TorchScript is instead.
absl::Status NoModule(const InputFile& file) {
  if (const auto foreign = RecognizeForeignFile(file)) {
    return Unreadable(absl::StrCat(foreign->what, "; ", foreign->mend_model));
  }
  std::string start(4, '\0');
  start.resize(file.ReadAt(0, start.data(), start.size()));
  return Unreadable(
      absl::StartsWith(start, "PK\x03\x04")
          ? "is truncated or damaged; copy it again, or save it again with "
            "torch.jit.save"
          : "is not a TorchScript file, or a truncated one; save it with "
            "torch.jit.save");
}

absl::Status CheckIsModule(const InputFile& file,
                           const ModuleArchive& archive) {
  // LibTorch would read the file as one of its oldest format, which is checked
  // nowhere.
  if (archive.Has("model.json")) {
    return Unreadable(
        "is in the format of PyTorch before 1.1; load it there and save it "
        "again with a newer torch.jit.save");
  }
  if (archive.Has("constants.pkl")) {
    return absl::OkStatus();
  }
  // What a damaged record holds cannot be told.
  if (archive.Has("data.pkl")) {
    NS_RETURN_IF_ERROR(archive.Read("data.pkl").status());
  }
  return NoModule(file);
}

// Checks a record of code, or one that says where code comes from.
absl::Status CheckCode(const ModuleArchive& archive, const std::string& name) {
  const bool is_code = absl::EndsWith(name, ".py");
  if (!is_code && !absl::EndsWith(name, ".debug_pkl")) {
    return absl::OkStatus();
  }
  NS_ASSIGN_OR_RETURN(const std::string content, archive.Read(name));
  const absl::Status status =
      is_code ? CheckModuleCode(content) : CheckDebugPickle(content);
  return status.ok()
             ? status
             : Unreadable(absl::StrCat(
                   "is damaged, in its record ", name, ": ", status.message(),
                   "; copy it again, or save it again with torch.jit.save"));
}

absl::Status CheckAllCode(const ModuleArchive& archive) {
  // Sorted, so that a file has the same error each time.
  std::vector<std::string> names;
  for (const auto& [name, record] : archive.records()) {
    names.push_back(name);
  }
  absl::c_sort(names);
  for (const std::string& name : names) {
    NS_RETURN_IF_ERROR(CheckCode(archive, name));
  }
  return absl::OkStatus();
}

// Opens an archive and checks all that can be checked before its tensors are
// read.
absl::StatusOr<std::shared_ptr<ModuleArchive>> OpenArchive(
    const std::string& path) {
  NS_ASSIGN_OR_RETURN(const std::shared_ptr<InputFile> file,
                      InputFile::Open(path, "torch.jit.save"));
  auto archive = ModuleArchive::Open(file);
  if (!archive.ok()) {
    return NoModule(*file);
  }
  NS_RETURN_IF_ERROR(CheckIsModule(*file, **archive));
  for (const char* pickle : {"constants", "data"}) {
    if ((*archive)->Has(absl::StrCat(pickle, ".pkl"))) {
      NS_RETURN_IF_ERROR(CheckModulePickle(**archive, pickle));
    }
  }
  NS_RETURN_IF_ERROR(CheckAllCode(**archive));
  return archive;
}

}  // namespace

absl::StatusOr<torch::jit::Module> LoadModule(absl::string_view path) {
  CheckIntegerDivisions();
  const auto archive = OpenArchive(std::string(path));
  if (!archive.ok()) {
    return Annotated(path, archive.status());
  }
  auto module = CatchTorchErrors(absl::StrCat(path, ": cannot load"), [&] {
    return torch::jit::load(
        std::shared_ptr<caffe2::serialize::ReadAdapterInterface>(*archive),
        c10::Device(c10::kCPU));
  });
  // A damaged record is the cause of whatever LibTorch says about it.
  if (const absl::Status rest = (*archive)->CheckRest(); !rest.ok()) {
    return Annotated(path, rest);
  }
  return module.ok() ? module : EngineError(module.status().message());
}

}  // namespace ns
