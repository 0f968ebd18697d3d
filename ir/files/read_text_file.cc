#include "ir/files/read_text_file.h"

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/base/status.h"
#include "ir/files/input_file.h"

namespace ns {

absl::StatusOr<std::string> ReadTextFile(const std::string& path,
                                         const TextFileKind& kind) {
  NS_ASSIGN_OR_RETURN(const std::shared_ptr<InputFile> file,
                      Annotated(path, InputFile::Open(path, kind.writer)));
  if (file->size() > kind.most_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is larger than ", kind.most_bytes >> 20,
                     " MiB, which no ", kind.name, " is"));
  }
  std::string text(file->size(), '\0');
  if (file->ReadAt(0, text.data(), text.size()) != text.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": cannot be read to its end"));
  }
  return text;
}

}  // namespace ns
