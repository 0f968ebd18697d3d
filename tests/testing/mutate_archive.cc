#include "tests/testing/mutate_archive.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/files/archive_records.h"

namespace ns {
namespace {

// Offsets of numbers in an entry of the directory, and in a record's header.
constexpr size_t kEntryBytes = 46;
constexpr size_t kMethod = 10;
constexpr size_t kChecksum = 16;
constexpr size_t kStoredSize = 20;
constexpr size_t kSize = 24;
constexpr size_t kNameSize = 28;
constexpr size_t kHeader = 42;
constexpr size_t kHeaderBytes = 30;
constexpr size_t kHeaderNameSize = 26;

template <typename T>
T Get(const std::string& bytes, size_t position) {
  T value;
  std::memcpy(&value, bytes.data() + position, sizeof(T));
  return value;
}

template <typename T>
void Set(std::string& bytes, size_t position, T value) {
  std::memcpy(&bytes[position], &value, sizeof(T));
}

bool IsTensor(const RecordPlace& record) {
  return !record.compressed && record.size > 0 &&
         (absl::StartsWith(record.name, "data/") ||
          absl::StartsWith(record.name, "constants/"));
}

bool IsPickle(const RecordPlace& record) {
  return !record.compressed &&
         (record.name == "data.pkl" || record.name == "constants.pkl");
}

class Mutator {
 public:
  Mutator(const std::string& archive, std::mt19937& random)
      : random_(random), good_(archive), records_(FindRecordPlaces(archive)) {
    mutant_.bytes = archive;
  }

  Mutant Run() && {
    using Step = void (Mutator::*)();
    // Small archives are headers for the most part, so mutations of a certain
    // place are listed more than once.
    constexpr Step kSteps[] = {
        &Mutator::FlipBits,      &Mutator::FlipBitsOfRecord,
        &Mutator::ZeroRun,       &Mutator::Truncate,
        &Mutator::SwapContents,  &Mutator::SwapEntries,
        &Mutator::ChangeSizes,   &Mutator::ChangeSizes,
        &Mutator::ShortenTensor, &Mutator::ShortenTensor,
        &Mutator::ChangePickle,  &Mutator::ChangePickle,
        &Mutator::ChangePickle,  &Mutator::ChangeNumbers,
        &Mutator::ChangeTensor,
    };
    (this->*kSteps[Below(std::size(kSteps))])();
    return std::move(mutant_);
  }

 private:
  size_t Below(size_t count) { return random_() % count; }

  const RecordPlace& Pick(const std::function<bool(const RecordPlace&)>& fits) {
    std::vector<const RecordPlace*> found;
    for (const RecordPlace& record : records_) {
      if (fits(record)) {
        found.push_back(&record);
      }
    }
    return *found.at(Below(found.size()));
  }

  const RecordPlace& PickRecord() {
    return Pick([](const RecordPlace& record) { return record.size > 0; });
  }

  // Requires a failure where the content of records has changed. Bytes around
  // the records are padding in part.
  void FailWhenRecordsDiffer() {
    for (const RecordPlace& record : records_) {
      mutant_.must_fail =
          mutant_.must_fail ||
          good_.compare(record.offset, record.size, mutant_.bytes,
                        record.offset, record.size) != 0;
    }
  }

  void FlipBitsBetween(size_t start, size_t count) {
    for (size_t flips = 1 + Below(3); flips > 0; --flips) {
      const size_t position = start + Below(count);
      mutant_.bytes[position] =
          static_cast<char>(mutant_.bytes[position] ^ (1 << Below(8)));
      absl::StrAppend(&mutant_.what, "flip a bit at ", position, "; ");
    }
    FailWhenRecordsDiffer();
  }

  void FlipBits() { FlipBitsBetween(0, good_.size()); }

  void FlipBitsOfRecord() {
    const RecordPlace& record = PickRecord();
    FlipBitsBetween(record.offset, record.size);
  }

  void ZeroRun() {
    const size_t start = Below(good_.size());
    const size_t count = std::min(1 + Below(2000), good_.size() - start);
    mutant_.bytes.replace(start, count, count, '\0');
    mutant_.what = absl::StrCat("zero ", count, " bytes at ", start);
    FailWhenRecordsDiffer();
  }

  void Truncate() {
    mutant_.bytes.resize(Below(good_.size()));
    mutant_.what = absl::StrCat("truncate to ", mutant_.bytes.size());
    mutant_.must_fail = true;
  }

  void SwapContents() {
    const RecordPlace& a = PickRecord();
    const RecordPlace& b =
        Pick([&](const RecordPlace& other) { return other.size == a.size; });
    mutant_.bytes.replace(a.offset, a.size, good_, b.offset, b.size);
    mutant_.bytes.replace(b.offset, b.size, good_, a.offset, a.size);
    mutant_.what = absl::StrCat("swap contents of ", a.name, ", ", b.name);
    FailWhenRecordsDiffer();
  }

  void SwapEntries() {
    const RecordPlace& a = PickRecord();
    const RecordPlace& b = PickRecord();
    Set(mutant_.bytes, a.entry + kHeader,
        Get<uint32_t>(good_, b.entry + kHeader));
    Set(mutant_.bytes, b.entry + kHeader,
        Get<uint32_t>(good_, a.entry + kHeader));
    mutant_.what = absl::StrCat("swap places of ", a.name, ", ", b.name);
    mutant_.must_fail = Get<uint32_t>(good_, a.entry + kChecksum) !=
                        Get<uint32_t>(good_, b.entry + kChecksum);
  }

  void ChangeSizes() {
    const RecordPlace& record = PickRecord();
    const uint32_t sizes[] = {
        static_cast<uint32_t>(Below(record.size)),
        static_cast<uint32_t>(record.size + 1 + Below(1000)),
        0xf0000000,
        static_cast<uint32_t>(random_()),
    };
    const uint32_t size = sizes[Below(std::size(sizes))];
    const size_t which = Below(3);
    for (const size_t field : {kStoredSize, kSize}) {
      if (which == 2 || (which == 0) == (field == kSize)) {
        Set(mutant_.bytes, record.entry + field, size);
      }
    }
    mutant_.what =
        absl::StrCat("size ", size, " (", which, ") of ", record.name);
    mutant_.must_fail = mutant_.bytes != good_;
  }

  void ShortenTensor() {
    const RecordPlace& record = Pick(IsTensor);
    const size_t size = Below(record.size);
    SetRecordSize(mutant_.bytes, record, size);
    mutant_.what = absl::StrCat("shorten ", record.name, " to ", size);
    mutant_.must_fail = true;
  }

  // Changes one to three bytes of a record to what `value` returns, and sets
  // its checksum accordingly.
  void Change(const RecordPlace& record, const std::function<char()>& value) {
    for (size_t changes = 1 + Below(3); changes > 0; --changes) {
      const size_t position = Below(record.size);
      mutant_.bytes[record.offset + position] = value();
      absl::StrAppend(&mutant_.what, "change ", record.name, " at ", position,
                      "; ");
    }
    SetRecordSize(mutant_.bytes, record, record.size);
  }

  void ChangePickle() {
    Change(Pick(IsPickle), [&] { return static_cast<char>(random_()); });
  }

  // Changes small integers, each behind its opcode: sizes, strides, groups,
  // memo.
  void ChangeNumbers() {
    const RecordPlace& record = Pick([](const RecordPlace& pickle) {
      return IsPickle(pickle) && pickle.size > 100;
    });
    std::vector<size_t> numbers;
    for (size_t i = 0; i + 1 < record.size; ++i) {
      if (good_[record.offset + i] == 'K') {
        numbers.push_back(i + 1);
      }
    }
    const char values[] = {0, 1, 2, 3, 127, static_cast<char>(255)};
    const size_t position = numbers.at(Below(numbers.size()));
    mutant_.bytes[record.offset + position] = values[Below(std::size(values))];
    mutant_.what = absl::StrCat("number of ", record.name, " at ", position);
    SetRecordSize(mutant_.bytes, record, record.size);
  }

  void ChangeTensor() {
    const char values[] = {
        0, 1, 2, 127, static_cast<char>(128), static_cast<char>(255)};
    Change(Pick(IsTensor), [&] { return values[Below(std::size(values))]; });
  }

  std::mt19937& random_;
  const std::string& good_;
  const std::vector<RecordPlace> records_;
  Mutant mutant_;
};

}  // namespace

std::vector<RecordPlace> FindRecordPlaces(const std::string& archive) {
  std::vector<RecordPlace> records;
  for (size_t entry = archive.find("PK\x01\x02");
       archive.compare(entry, 4, "PK\x01\x02") == 0;) {
    const size_t name_size = Get<uint16_t>(archive, entry + kNameSize);
    const auto header = Get<uint32_t>(archive, entry + kHeader);
    RecordPlace record;
    const std::string name = archive.substr(entry + kEntryBytes, name_size);
    record.name = name.substr(name.find('/') + 1);
    record.entry = entry;
    record.offset = header + kHeaderBytes +
                    Get<uint16_t>(archive, header + kHeaderNameSize) +
                    Get<uint16_t>(archive, header + kHeaderNameSize + 2);
    record.size = Get<uint32_t>(archive, entry + kStoredSize);
    record.compressed = Get<uint16_t>(archive, entry + kMethod) != 0;
    records.push_back(std::move(record));
    entry += kEntryBytes + name_size +
             Get<uint16_t>(archive, entry + kNameSize + 2) +
             Get<uint16_t>(archive, entry + kNameSize + 4);
  }
  return records;
}

void SetRecordSize(std::string& archive, const RecordPlace& record,
                   size_t size) {
  Set(archive, record.entry + kStoredSize, static_cast<uint32_t>(size));
  Set(archive, record.entry + kSize, static_cast<uint32_t>(size));
  Set(archive, record.entry + kChecksum,
      ExtendCrc32(0, archive.data() + record.offset,
                  static_cast<int64_t>(size)));
}

Mutant Mutate(const std::string& archive, std::mt19937& random) {
  return Mutator(archive, random).Run();
}

}  // namespace ns
