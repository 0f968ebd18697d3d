#include "ns/reference/reference_files.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ns/batches/fit_value.h"
#include "ns/saved/activation_files.h"

namespace ns {
namespace {

namespace fs = std::filesystem;

absl::Status Bad(const std::string& path, absl::string_view what) {
  return absl::InvalidArgumentError(OneLine(absl::StrCat(path, ": ", what)));
}

std::string FileName(const std::string& path) {
  return fs::path(path).filename().string();
}

}  // namespace

absl::StatusOr<ReferenceFiles> ReferenceFiles::Open(
    const std::string& directory) {
  std::error_code error;
  if (fs::exists(directory, error) && !fs::is_directory(directory, error)) {
    return Bad(directory,
               "is a file; name the folder of the layers' values, as "
               "--save-activations writes it");
  }
  std::map<std::string, Entry> entries;
  for (fs::directory_iterator entry(directory, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    const std::string name = FileName(path);
    if (absl::StartsWith(name, ".")) {
      continue;
    }
    absl::string_view layer = name;
    std::optional<Form> form;
    std::error_code unknown;
    if (entry->is_directory(unknown)) {
      form = Form::kFolder;
    } else if (absl::ConsumeSuffix(&layer, ".pt")) {
      form = Form::kTorchSave;
    } else if (absl::ConsumeSuffix(&layer, ".npy")) {
      form = Form::kArray;
    }
    if (!form) {
      continue;
    }
    const auto [known, is_new] =
        entries.emplace(layer, Entry{*form, path, /*is_opened=*/false});
    if (!is_new) {
      return Bad(directory,
                 absl::StrCat("holds both ", FileName(known->second.path),
                              " and ", name, "; keep one of them"));
    }
  }
  if (error) {
    return Bad(directory,
               absl::StrCat("cannot read the folder: ", error.message()));
  }
  if (entries.empty()) {
    return Bad(directory,
               "holds no values; save those of a layer 'conv1' in the folder "
               "conv1, or as conv1.pt or conv1.npy");
  }
  return ReferenceFiles(directory, std::move(entries));
}

absl::StatusOr<std::unique_ptr<ReferenceValues>> ReferenceFiles::OpenLayer(
    const std::string& layer) {
  auto found = entries_.find(LayerFolder(layer));
  if (found == entries_.end()) {
    found = entries_.find(layer);
  }
  if (found == entries_.end()) {
    return std::unique_ptr<ReferenceValues>();
  }
  Entry& entry = found->second;
  entry.is_opened = true;
  switch (entry.form) {
    case Form::kFolder:
      return OpenReferenceFolder(entry.path);
    case Form::kTorchSave:
      return OpenReferenceTorchSave(entry.path);
    case Form::kArray:
      break;
  }
  return OpenReferenceArray(entry.path);
}

std::vector<std::string> ReferenceFiles::NotOpened() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) {
    if (!entry.is_opened) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace ns
