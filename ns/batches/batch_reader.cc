#include "ns/batches/batch_reader.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ir/base/status.h"
#include "ns/batches/batch_file.h"

namespace ns {

absl::StatusOr<BatchReader> BatchReader::Open(
    absl::Span<const std::string> paths, std::optional<int64_t> max_batches) {
  std::vector<Part> parts;
  int64_t size = 0;
  for (const std::string& path : paths) {
    if (max_batches && size >= *max_batches) {
      break;
    }
    NS_ASSIGN_OR_RETURN(auto file, OpenBatchFile(path));
    int64_t wanted = file->size();
    if (max_batches) {
      wanted = std::min(wanted, *max_batches - size);
    }
    size += wanted;
    parts.push_back({std::move(file), wanted});
  }
  return BatchReader(std::move(parts));
}

BatchReader BatchReader::FromBatches(std::vector<Batch> batches) {
  const auto size = static_cast<int64_t>(batches.size());
  std::vector<Part> parts;
  parts.push_back({MakeBatchFile(std::move(batches)), size});
  return BatchReader(std::move(parts));
}

BatchReader BatchReader::OfSamples(const BatchReader& batches,
                                   std::vector<BatchSamples> selection) {
  const auto size = static_cast<int64_t>(selection.size());
  return OnDemand(size,
                  [&batches, selection = std::move(selection)](
                      int64_t index) -> absl::StatusOr<Batch> {
                    const BatchSamples& selected = selection.at(index);
                    NS_ASSIGN_OR_RETURN(const Batch whole,
                                        batches.Read(selected.batch));
                    Batch batch = SelectedSamples(whole, selected.samples);
                    batch.source = BatchName(whole, selected.batch);
                    return batch;
                  });
}

BatchReader BatchReader::OfBatches(const BatchReader& batches,
                                   std::vector<int64_t> numbers) {
  const auto size = static_cast<int64_t>(numbers.size());
  return OnDemand(size,
                  [&batches, numbers = std::move(numbers)](
                      int64_t index) -> absl::StatusOr<Batch> {
                    const int64_t number = numbers.at(index);
                    NS_ASSIGN_OR_RETURN(Batch batch, batches.Read(number));
                    batch.source = BatchName(batch, number);
                    return batch;
                  });
}

BatchReader BatchReader::OnDemand(
    int64_t size, std::function<absl::StatusOr<Batch>(int64_t index)> read) {
  std::vector<Part> parts;
  parts.push_back({MakeBatchFile(size, std::move(read)), size});
  return BatchReader(std::move(parts));
}

BatchReader::BatchReader(std::vector<Part> parts) : parts_(std::move(parts)) {}

BatchReader::BatchReader(BatchReader&&) noexcept = default;
BatchReader& BatchReader::operator=(BatchReader&&) noexcept = default;
BatchReader::~BatchReader() = default;

int64_t BatchReader::size() const {
  int64_t size = 0;
  for (const Part& part : parts_) {
    size += part.size;
  }
  return size;
}

absl::StatusOr<Batch> BatchReader::Read(int64_t index) const {
  TORCH_INTERNAL_ASSERT(index >= 0 && index < size(), "no batch ", index);
  auto part = parts_.begin();
  while (index >= part->size) {
    index -= part->size;
    ++part;
  }
  return part->file->Read(index);
}

absl::StatusOr<std::vector<Batch>> BatchReader::ReadAll() const {
  std::vector<Batch> batches;
  for (const Part& part : parts_) {
    NS_ASSIGN_OR_RETURN(std::vector<Batch> more,
                        part.file->ReadFirst(part.size));
    std::move(more.begin(), more.end(), std::back_inserter(batches));
  }
  return batches;
}

absl::StatusOr<std::vector<Batch>> BatchReader::ReadRange(int64_t begin,
                                                          int64_t end) const {
  std::vector<Batch> batches;
  for (int64_t i = begin; i < end; ++i) {
    NS_ASSIGN_OR_RETURN(Batch batch, Read(i));
    batches.push_back(std::move(batch));
  }
  return batches;
}

absl::StatusOr<std::vector<Batch>> BatchReader::ReadEach(
    absl::Span<const int64_t> numbers) const {
  std::vector<Batch> batches;
  for (const int64_t number : numbers) {
    NS_ASSIGN_OR_RETURN(Batch batch, Read(number));
    batches.push_back(std::move(batch));
  }
  return batches;
}

}  // namespace ns
