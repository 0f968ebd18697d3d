#include "ir/files/write_module.h"

#include <torch/csrc/jit/serialization/export.h>

#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/file_writer.h"
#include "ir/files/input_file.h"
#include "ir/files/module_archive.h"

namespace ns {

absl::Status WriteModule(const torch::jit::Module& module,
                         const WriteModuleNames& names, const std::string& path,
                         const std::string& provenance) {
  torch::jit::ExtraFilesMap extra;
  if (!provenance.empty()) {
    const absl::string_view name =
        absl::StripPrefix(kProvenanceRecord, "extra/");
    extra[std::string(name)] = provenance;
  }
  FileWriter file(path);
  NS_RETURN_IF_ERROR(CatchTorchErrors(names.what, [&] {
    torch::jit::ExportModule(
        module,
        [&](const void* bytes, size_t count) {
          file.Write(bytes, count);
          return count;
        },
        extra);
  }));
  const absl::Status status = file.Close();
  return status.ok() ? status
                     : absl::InvalidArgumentError(
                           absl::StrCat(names.path, ": ", status.message()));
}

absl::StatusOr<std::string> ReadProvenance(const std::string& path) {
  const absl::StatusOr<std::shared_ptr<InputFile>> file = InputFile::Open(path);
  NS_RETURN_IF_ERROR(Annotated(path, file.status()));
  const absl::StatusOr<std::shared_ptr<ModuleArchive>> archive =
      ModuleArchive::Open(*file);
  NS_RETURN_IF_ERROR(Annotated(path, archive.status()));
  if (!(*archive)->Has(kProvenanceRecord)) {
    return "";
  }
  return Annotated(path, (*archive)->Read(kProvenanceRecord));
}

}  // namespace ns
