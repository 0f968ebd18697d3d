#include "tools/command_line/output_files.h"

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_replace.h"

namespace ns {
namespace {

FileToWrite NamingErrors(FileContentWriter write, const std::string& path) {
  return {path, [write = std::move(write), path](const std::string& temporary) {
            const absl::Status status = write(temporary);
            return absl::Status(
                status.code(),
                absl::StrReplaceAll(status.message(), {{temporary, path}}));
          }};
}

}  // namespace

FileToWrite ModelFile(ModelGraph model, const std::string& path) {
  const auto owned = std::make_shared<const ModelGraph>(std::move(model));
  return NamingErrors(
      [owned](const std::string& temporary) { return owned->Save(temporary); },
      path);
}

FileToWrite TextFile(std::string text, const std::string& path) {
  return NamingErrors(
      [text = std::move(text)](const std::string& temporary) {
        return WriteFileAtomically(temporary, text);
      },
      path);
}

}  // namespace ns
