#include "ir/files/atomic_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "ir/base/status.h"
#include "ir/files/file_writer.h"

namespace ns {
namespace {

namespace fs = std::filesystem;

// Linux follows at most this many links.
constexpr int kMostLinks = 40;

absl::Status Failed(absl::string_view path, int error) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": ", CannotWrite(error).message()));
}

std::string TemporaryName(absl::string_view target) {
  return absl::StrCat(target, ".", getpid(), ".tmp");
}

// Opens a file and locks it, unless somebody else has locked it. The lock shows
// that a writer is alive where its process id does not: on another machine, or
// in another container.
class LockedFile {
 public:
  explicit LockedFile(const std::string& path, int flags)
      : descriptor_(open(path.c_str(), flags | O_CLOEXEC, 0666)),  // NOLINT
        error_(errno),
        locked_(descriptor_ >= 0 &&
                flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {}
  ~LockedFile() {
    if (descriptor_ >= 0) {
      close(descriptor_);
    }
  }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  bool is_locked() const { return locked_; }
  // The errno of a file that could not be opened.
  int error() const { return error_; }

 private:
  const int descriptor_;
  const int error_;
  const bool locked_;
};

// A file under its temporary name, which is removed at the end unless it was
// renamed.
class Temporary {
 public:
  // Creates the file now, so that a folder that cannot be written to is noticed
  // before the work is done.
  explicit Temporary(std::string target)
      : target_(std::move(target)),
        name_(TemporaryName(target_)),
        spare_(absl::StrCat(target_, ".old.", getpid(), ".tmp")),
        file_(name_, O_WRONLY | O_CREAT | O_TRUNC) {}
  ~Temporary() {
    std::remove(name_.c_str());
    if (has_spare_) {
      std::remove(spare_.c_str());
    }
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::string& name() const { return name_; }
  const LockedFile& file() const { return file_; }

  // Renames the file to its target. Returns an errno, or 0.
  int Commit(bool may_be_undone) {
    if (may_be_undone) {
      // Gives the replaced file a second name, where there is such a file and
      // its file system has second names.
      has_spare_ = link(target_.c_str(), spare_.c_str()) == 0;
      if (!has_spare_ && errno == EEXIST) {
        // A killed process of the same id left it: in a container, ids begin
        // anew.
        std::remove(spare_.c_str());
        has_spare_ = link(target_.c_str(), spare_.c_str()) == 0;
      }
      is_new_ = !has_spare_ && errno == ENOENT;
    }
    return std::rename(name_.c_str(), target_.c_str()) == 0 ? 0 : errno;
  }

  void Undo() {
    if (has_spare_) {
      std::rename(spare_.c_str(), target_.c_str());
      has_spare_ = false;
    } else if (is_new_) {
      std::remove(target_.c_str());
    }
  }

 private:
  const std::string target_;
  const std::string name_;
  const std::string spare_;
  const LockedFile file_;
  bool has_spare_ = false;
  bool is_new_ = false;
};

// Renames all files or none: the earlier ones are undone when one fails.
absl::Status CommitAll(absl::Span<const FileToWrite> files,
                       std::vector<std::unique_ptr<Temporary>>& temporaries) {
  for (size_t i = 0; i < files.size(); ++i) {
    // Once the last one is in its place, nothing is undone.
    const bool may_be_undone = i + 1 < files.size();
    if (const int error = temporaries[i]->Commit(may_be_undone); error != 0) {
      for (size_t done = 0; done < i; ++done) {
        temporaries[done]->Undo();
      }
      return Failed(files[i].path, error);
    }
  }
  return absl::OkStatus();
}

// Returns the process that is in the name of a temporary file of `target`, or 0
// where `file` is another file. Both are names without a folder.
pid_t WriterOf(absl::string_view file, absl::string_view target) {
  pid_t writer = 0;
  if (!absl::ConsumePrefix(&file, absl::StrCat(target, ".")) ||
      !absl::ConsumeSuffix(&file, ".tmp")) {
    return 0;
  }
  absl::ConsumePrefix(&file, "old.");
  return absl::SimpleAtoi(file, &writer) && writer > 0 ? writer : 0;
}

bool IsAlive(pid_t process) { return kill(process, 0) == 0 || errno != ESRCH; }

}  // namespace

std::string ResolveLinks(absl::string_view path) {
  fs::path resolved{std::string(path)};
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    const fs::path target = fs::read_symlink(resolved, error);
    if (error) {
      break;
    }
    // An absolute target replaces the folder.
    resolved = resolved.parent_path() / target;
  }
  return resolved.string();
}

absl::Status CheckIsReplaceable(absl::string_view path) {
  std::error_code error;
  const fs::file_status status = fs::status(std::string(path), error);
  if (error == std::errc::too_many_symbolic_link_levels) {
    return Failed(path, ELOOP);
  }
  const char* kind = fs::is_directory(status) ? "a folder"
                     : fs::is_other(status)   ? "a device or a pipe"
                                              : nullptr;
  return kind == nullptr ? absl::OkStatus()
                         : absl::InvalidArgumentError(
                               absl::StrCat(path, ": cannot write: is ", kind));
}

void RemoveStaleTemporaries(absl::string_view path) {
  const fs::path target = ResolveLinks(path);
  const fs::path folder =
      target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::vector<std::string> stale;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const pid_t writer =
        WriterOf(entry->path().filename().string(), target.filename().string());
    if (writer != 0 && !IsAlive(writer)) {
      stale.push_back(entry->path().string());
    }
  }
  for (const std::string& file : stale) {
    if (LockedFile(file, O_RDONLY | O_NONBLOCK).is_locked()) {
      std::remove(file.c_str());
    }
  }
}

absl::Status WriteFilesAtomically(absl::Span<const FileToWrite> files) {
  std::vector<std::unique_ptr<Temporary>> temporaries;
  for (const FileToWrite& file : files) {
    NS_RETURN_IF_ERROR(CheckIsReplaceable(file.path));
    temporaries.push_back(std::make_unique<Temporary>(ResolveLinks(file.path)));
    if (!temporaries.back()->file().is_open()) {
      return Failed(file.path, temporaries.back()->file().error());
    }
  }
  for (size_t i = 0; i < files.size(); ++i) {
    NS_RETURN_IF_ERROR(files[i].write(temporaries[i]->name()));
  }
  return CommitAll(files, temporaries);
}

absl::Status WriteFileAtomically(absl::string_view path,
                                 const FileContentWriter& write) {
  return WriteFilesAtomically({{std::string(path), write}});
}

absl::Status WriteFileAtomically(absl::string_view path,
                                 absl::string_view content) {
  return WriteFileAtomically(path, [&](const std::string& temporary) {
    FileWriter file(temporary);
    file.Write(content.data(), content.size());
    const absl::Status status = file.Close();
    return status.ok() ? status
                       : absl::InvalidArgumentError(
                             absl::StrCat(path, ": ", status.message()));
  });
}

}  // namespace ns
