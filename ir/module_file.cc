#include "ir/module_file.h"

#include <caffe2/serialize/inline_container.h>
#include <sys/stat.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/status.h"
#include "ir/torch_errors.h"

namespace ns {
namespace {

absl::Status Unreadable(absl::string_view path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", why));
}

// Says why `path` is no TorchScript archive, or OK when it looks like one.
absl::Status CheckArchive(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    return Unreadable(path,
                      absl::StrCat("cannot open: ", std::strerror(errno)));
  }
  if (S_ISDIR(info.st_mode)) {
    return Unreadable(path,
                      "is a folder; name a file that torch.jit.save "
                      "wrote");
  }
  if (info.st_size == 0) {
    return Unreadable(path, "is empty");
  }
  try {
    caffe2::serialize::PyTorchStreamReader reader(path);
    if (reader.hasRecord("constants.pkl")) {
      return absl::OkStatus();
    }
    return Unreadable(path,
                      reader.hasRecord("data.pkl")
                          ? "holds a pickle (a state_dict or an eager module), "
                            "not TorchScript; save it with "
                            "torch.jit.save(torch.jit.script(model), path)"
                          : "is a zip file, but not TorchScript; save it with "
                            "torch.jit.save");
  } catch (const std::exception&) {
    return Unreadable(path,
                      "is not a TorchScript file, or a truncated one; save it "
                      "with torch.jit.save");
  }
}

}  // namespace

absl::StatusOr<torch::jit::Module> LoadModule(absl::string_view path) {
  const std::string file(path);
  NS_RETURN_IF_ERROR(CheckArchive(file));
  auto module = CatchTorchErrors(absl::StrCat(path, ": cannot load"), [&] {
    return torch::jit::load(file, c10::Device(c10::kCPU));
  });
  // LibTorch prints the opcode as if it were an address.
  if (!module.ok() &&
      absl::StrContains(module.status().message(), "Unknown opcode")) {
    return Unreadable(path,
                      "is damaged: one of its pickles has an unknown opcode; "
                      "copy it again, or save it again with torch.jit.save");
  }
  return module;
}

}  // namespace ns
