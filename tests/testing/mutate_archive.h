// Makes damaged copies of files that torch.jit.save wrote.
#ifndef TESTS_TESTING_MUTATE_ARCHIVE_H_
#define TESTS_TESTING_MUTATE_ARCHIVE_H_

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace ns {

// Where an archive has one of its records, in bytes.
struct RecordPlace {
  // The name without the archive's folder.
  std::string name;
  // The offset of its entry in the directory.
  size_t entry = 0;
  // The offset and number of its bytes, as they are in the file.
  size_t offset = 0;
  size_t size = 0;
  bool compressed = false;
};

// Returns the records of a small archive that is not damaged.
std::vector<RecordPlace> FindRecordPlaces(const std::string& archive);

// Makes `record` claim that it has `size` bytes, and gives it their checksum.
// It must not be compressed.
void SetRecordSize(std::string& archive, const RecordPlace& record,
                   size_t size);

struct Mutant {
  std::string bytes;
  // Says what was done to the archive.
  std::string what;
  // Whether the damage must be noticed: reading the archive as if nothing were
  // wrong is a bug then.
  bool must_fail = false;
};

// Damages `archive`, which must have a tensor with elements and pickles of more
// than 100 bytes, in a way that `random` chooses: flipped bits, zeroed runs,
// truncation, swapped records, other sizes in the directory, shorter records,
// and other bytes in pickles and tensors, with the checksums that go with them.
Mutant Mutate(const std::string& archive, std::mt19937& random);

}  // namespace ns

#endif  // TESTS_TESTING_MUTATE_ARCHIVE_H_
