// Makes files of torch.jit.save whose records say something else than was
// saved.
#ifndef TESTS_TESTING_SAVED_MODULE_H_
#define TESTS_TESTING_SAVED_MODULE_H_

#include <torch/csrc/jit/api/module.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tests/testing/mutate_archive.h"
#include "tests/testing/temporary_file.h"

namespace ns {

// A file that a module was saved to, in memory, and where its records are.
class SavedModule {
 public:
  explicit SavedModule(const torch::jit::Module& module) {
    module.save(path_);
    bytes_ = ReadFile(path_);
    records_ = FindRecordPlaces(bytes_);
  }

  std::string& bytes() { return bytes_; }
  const std::vector<RecordPlace>& records() const { return records_; }

  const RecordPlace& Record(const std::string& name) const {
    for (const RecordPlace& record : records_) {
      if (record.name == name) {
        return record;
      }
    }
    throw std::out_of_range(name);
  }

  // The tensor of `size` bytes.
  const RecordPlace& Tensor(size_t size) const {
    for (const RecordPlace& record : records_) {
      if (record.size == size && absl::StartsWith(record.name, "data/")) {
        return record;
      }
    }
    throw std::out_of_range("no such tensor");
  }

  // Replaces the first `old` in a record by as many bytes, and the checksum.
  void Replace(const std::string& name, const std::string& old,
               const std::string& text) {
    const RecordPlace& record = Record(name);
    const size_t start = bytes_.find(old, record.offset);
    ASSERT_LT(start, record.offset + record.size);
    bytes_.replace(start, old.size(), text);
    SetRecordSize(bytes_, record, record.size);
  }

  // Flips a bit of a record, and leaves its checksum.
  void Damage(const RecordPlace& record) {
    char& last = bytes_[record.offset + record.size - 1];
    last = static_cast<char>(last ^ 1);
  }

  // Writes the bytes to a file, and returns its path.
  const std::string& Write() const {
    WriteFile(path_, bytes_);
    return path_;
  }

 private:
  const std::string path_ = TemporaryPath("saved.pt");
  std::string bytes_;
  std::vector<RecordPlace> records_;
};

}  // namespace ns

#endif  // TESTS_TESTING_SAVED_MODULE_H_
