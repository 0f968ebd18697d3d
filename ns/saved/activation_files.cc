#include "ns/saved/activation_files.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/atomic_file.h"
#include "ns/batches/write_torch_save.h"

namespace ns {
namespace {

namespace fs = std::filesystem;

constexpr char kMarker[] = ".ns_activations";
// What a file system lets a name have, less what is added to it.
constexpr size_t kMostFolderBytes = 200;

absl::Status Bad(const std::string& path, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", what));
}

absl::Status Failed(const std::string& path, absl::string_view what,
                    const std::error_code& error) {
  return Bad(path, absl::StrCat("cannot ", what, ": ", error.message()));
}

bool ConsumeNumber(absl::string_view* text) {
  const size_t digits =
      std::min(text->find_first_not_of("0123456789"), text->size());
  text->remove_prefix(digits);
  return digits > 0;
}

// A name that Save() gives, or that a run left behind which was killed in it.
bool IsOwnFile(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, "batch_") || !ConsumeNumber(&name)) {
    return false;
  }
  if (absl::ConsumePrefix(&name, "_call_") && !ConsumeNumber(&name)) {
    return false;
  }
  return name == ".pt" ||
         (absl::StartsWith(name, ".pt.") && absl::EndsWith(name, ".tmp"));
}

// Removes our files from the folder of a layer, and the folder when it holds
// nothing else.
void ClearLayer(const fs::path& folder, std::error_code& error) {
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(folder, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (IsOwnFile(entry->path().filename().string())) {
      files.push_back(entry->path());
    }
  }
  for (const fs::path& file : files) {
    if (!error) {
      fs::remove(file, error);
    }
  }
  if (!error && !files.empty() && fs::is_empty(folder, error)) {
    fs::remove(folder, error);
  }
}

// Removes what an earlier run saved.
absl::Status Clear(const std::string& directory) {
  std::error_code error;
  std::vector<fs::path> folders;
  for (fs::directory_iterator entry(directory, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    // A link to a folder is none of ours.
    if (entry->symlink_status().type() == fs::file_type::directory) {
      folders.push_back(entry->path());
    }
  }
  for (const fs::path& folder : folders) {
    if (!error) {
      ClearLayer(folder, error);
    }
  }
  if (error) {
    return Failed(directory, "clear it of an earlier result", error);
  }
  return absl::OkStatus();
}

absl::Status PrepareDirectory(const std::string& directory) {
  std::error_code error;
  if (fs::exists(directory, error) && !fs::is_directory(directory, error)) {
    return Bad(directory, "is a file; name a folder for the activations");
  }
  fs::create_directories(directory, error);
  if (error) {
    return Failed(directory, "make the folder", error);
  }
  const bool empty = fs::is_empty(directory, error);
  if (error) {
    return Failed(directory, "read the folder", error);
  }
  const fs::path marker = fs::path(directory) / kMarker;
  if (empty) {
    return WriteFileAtomically(marker.string(), "");
  }
  if (!fs::exists(marker, error)) {
    return Bad(directory,
               "is not empty and holds no activations of an earlier run; name "
               "a new or an empty folder");
  }
  return Clear(directory);
}

// `tensor` with a storage that holds nothing else.
at::Tensor Compact(const at::Tensor& tensor) {
  at::Tensor result = tensor.detach().cpu();
  if (result.layout() != at::kStrided) {
    result = result.to_dense();
  }
  result = result.resolve_conj().resolve_neg();
  return result.storage().nbytes() > result.nbytes() ? result.clone() : result;
}

// The least that a file of `tensors` takes, without looking at their values.
int64_t LeastBytes(
    const std::vector<std::pair<std::string, at::Tensor>>& tensors) {
  // Tensors that are the same are written once.
  absl::flat_hash_set<const void*> seen;
  int64_t bytes = 0;
  for (const auto& [name, tensor] : tensors) {
    if (tensor.defined() && tensor.layout() == at::kStrided &&
        seen.insert(tensor.storage().unsafeGetStorageImpl()).second) {
      // The storage is the smaller one where a tensor is expanded.
      bytes += static_cast<int64_t>(
          std::min(tensor.storage().nbytes(), tensor.nbytes()));
    }
  }
  return bytes;
}

// FNV-1a: the same in every run and on every machine.
uint64_t Hash(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char c : text) {
    hash = (hash ^ c) * 0x100000001b3;
  }
  return hash;
}

}  // namespace

absl::StatusOr<ActivationFiles> ActivationFiles::Create(
    const Options& options) {
  NS_RETURN_IF_ERROR(PrepareDirectory(options.directory));
  return ActivationFiles(options);
}

absl::Status ActivationFiles::Save(
    const std::string& layer, int64_t batch, int64_t call,
    const std::vector<std::pair<std::string, at::Tensor>>& tensors) {
  const fs::path folder = fs::path(options_.directory) / LayerFolder(layer);
  const std::string path =
      (folder / (ActivationFileStem(batch, call) + ".pt")).string();
  const int64_t left = options_.budget_bytes - bytes_written_;

  if (LeastBytes(tensors) > left) {
    ++files_left_out_;
    return absl::OkStatus();
  }

  c10::Dict<std::string, at::Tensor> dict;
  NS_RETURN_IF_ERROR(CatchTorchErrors(path, [&] {
    for (const auto& [name, tensor] : tensors) {
      if (tensor.defined()) {
        dict.insert_or_assign(name, Compact(tensor));
      }
    }
  }));
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) {
    return Failed(folder.string(), "make the folder", error);
  }
  absl::StatusOr<int64_t> bytes = 0;
  bool fits = true;
  const absl::Status status =
      WriteFileAtomically(path, [&](const std::string& temporary) {
        bytes = WriteTorchSave(temporary, dict);
        fits = !bytes.ok() || *bytes <= left;
        return fits ? bytes.status() : absl::CancelledError();
      });
  if (!fits) {
    ++files_left_out_;
    return absl::OkStatus();
  }
  if (!bytes.ok()) {
    return Bad(path, bytes.status().message());
  }
  NS_RETURN_IF_ERROR(status);
  bytes_written_ += *bytes;
  return absl::OkStatus();
}

std::string LayerFolder(absl::string_view layer) {
  std::string folder;
  for (const char c : layer) {
    const bool hidden = c == '.' && folder.empty();
    if (!hidden && (absl::ascii_isalnum(c) ||
                    absl::string_view("._-@").find(c) != std::string::npos)) {
      folder.push_back(c);
    } else {
      absl::StrAppendFormat(&folder, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  if (folder.empty()) {
    return "%";
  }
  if (folder.size() > kMostFolderBytes) {
    const std::string hash = absl::StrFormat("%%~%016x", Hash(layer));
    folder.resize(kMostFolderBytes - hash.size());
    folder += hash;
  }
  return folder;
}

std::string ActivationFileStem(int64_t batch, int64_t call) {
  return call == 0 ? absl::StrFormat("batch_%04d", batch)
                   : absl::StrFormat("batch_%04d_call_%04d", batch, call);
}

}  // namespace ns
