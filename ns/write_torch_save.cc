#include "ns/write_torch_save.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/status.h"
#include "ir/torch_errors.h"

namespace ns {
namespace {

// Returns how many bytes it wrote.
int64_t Write(std::ofstream& file, const c10::IValue& value) {
  int64_t written = 0;
  std::string pickle;
  torch::jit::Pickler pickler(
      [&](const char* bytes, size_t count) { pickle.append(bytes, count); },
      nullptr, nullptr, nullptr, nullptr, /*tag_aggregates=*/false);
  pickler.protocol();
  pickler.pushIValue(value);
  pickler.stop();

  caffe2::serialize::PyTorchStreamWriter archive(
      [&](const void* bytes, size_t count) {
        file.write(static_cast<const char*>(bytes),
                   static_cast<std::streamsize>(count));
        written += static_cast<int64_t>(count);
        // A failure, which `file` remembers, must not be told: the writer would
        // throw from its destructor.
        return count;
      });
  archive.writeRecord("data.pkl", pickle.data(), pickle.size());
  size_t key = 0;
  for (const at::Tensor& tensor : pickler.tensorData()) {
    archive.writeRecord(absl::StrCat("data/", key++), tensor.storage().data(),
                        tensor.storage().nbytes());
  }
  archive.writeEndOfFile();
  return written;
}

}  // namespace

absl::StatusOr<int64_t> WriteTorchSave(const std::string& path,
                                       const c10::IValue& value) {
  std::ofstream file(path, std::ios::binary);
  int64_t bytes = 0;
  NS_RETURN_IF_ERROR(
      CatchTorchErrors("cannot write", [&] { bytes = Write(file, value); }));
  file.close();
  if (!file) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot write: ", std::strerror(errno)));
  }
  return bytes;
}

}  // namespace ns
