#include "ns/compare/describe_run.h"

#include <ATen/Context.h>
#include <sys/utsname.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/files/input_file.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SHA256.h"

namespace ns {

absl::StatusOr<std::string> Sha256Of(const std::string& path) {
  const absl::StatusOr<std::shared_ptr<InputFile>> file = InputFile::Open(path);
  NS_RETURN_IF_ERROR(Annotated(path, file.status()));
  llvm::SHA256 hash;
  std::vector<char> part(1 << 20);
  uint64_t position = 0;
  while (const size_t count =
             (*file)->ReadAt(position, part.data(), part.size())) {
    hash.update(llvm::StringRef(part.data(), count));
    position += count;
  }
  if (position != (*file)->size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": cannot be read to its end"));
  }
  // A StringRef before LLVM 16, an array of bytes since.
  const auto digest = hash.final();
  return absl::BytesToHexString(absl::string_view(
      reinterpret_cast<const char*>(digest.data()), digest.size()));
}

std::string ProcessorName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(':');
    if (absl::StartsWith(line, "model name") && colon != std::string::npos) {
      return std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
    }
  }
  utsname machine = {};
  return uname(&machine) == 0 ? machine.machine : "unknown";
}

absl::Status DescribeRun(const std::vector<std::string>& paths,
                         ComparisonResult& result) {
  result.processor = ProcessorName();
  result.engine =
      absl::AsciiStrToLower(toString(at::globalContext().qEngine()));
  for (const std::string& path : paths) {
    NS_ASSIGN_OR_RETURN(std::string hash, Sha256Of(path));
    result.files.push_back({path, std::move(hash)});
  }
  return absl::OkStatus();
}

}  // namespace ns
