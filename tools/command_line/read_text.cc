#include "tools/command_line/read_text.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/input_file.h"
#include "ir/status.h"

namespace ns {

absl::StatusOr<std::string> ReadText(const std::string& path) {
  NS_ASSIGN_OR_RETURN(const std::shared_ptr<InputFile> file,
                      Annotated(path, InputFile::Open(path, "ns --json")));
  std::string text(file->size(), '\0');
  if (file->ReadAt(0, text.data(), text.size()) != text.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": cannot be read to its end"));
  }
  return text;
}

}  // namespace ns
