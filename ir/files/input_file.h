// Reads files in parts, as LibTorch's archives do.
#ifndef IR_FILES_INPUT_FILE_H_
#define IR_FILES_INPUT_FILE_H_

#include <caffe2/serialize/read_adapter_interface.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace ns {

// An open file, which is closed when the object is destroyed. LibTorch's
// archives can read it.
class InputFile final : public caffe2::serialize::ReadAdapterInterface {
 public:
  // Distinguishes a file from another one at the same path, and from itself
  // after it was written to.
  struct Identity {
    dev_t device;
    ino_t inode;
    off_t size;
    // When it was last written to.
    int64_t seconds;
    int64_t nanoseconds;

    bool operator==(const Identity& other) const;
    bool operator!=(const Identity& other) const { return !(*this == other); }
  };

  // Opens a file for reading. `saver` is the function that writes such files,
  // for messages. Error: a phrase that continues "<path>: ": the file cannot be
  // opened, or it is empty or no regular file.
  static absl::StatusOr<std::shared_ptr<InputFile>> Open(
      const std::string& path, absl::string_view saver = "torch.save");

  ~InputFile() override;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // What identified the file when it was opened.
  const Identity& identity() const { return identity_; }

  // True when the open file was written to since it was opened: its size or its
  // time of writing differs, or cannot be told. It does not notice another file
  // at the same path: compare identities for that.
  bool HasChanged() const;

  // Reads `count` bytes at `position`, or fewer where the file ends or cannot
  // be read, and returns how many it read. Any thread may call it.
  size_t ReadAt(uint64_t position, void* buffer, size_t count) const;

  // What LibTorch's archives call: the bytes of the file when it was opened,
  // and ReadAt() without `what`.
  size_t size() const override;
  size_t read(uint64_t position, void* buffer, size_t count,
              const char* what) const override;

 private:
  InputFile(int descriptor, const Identity& identity)
      : descriptor_(descriptor), identity_(identity) {}

  const int descriptor_;
  const Identity identity_;
};

}  // namespace ns

#endif  // IR_FILES_INPUT_FILE_H_
