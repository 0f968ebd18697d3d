#include "ns/batches/npy_file.h"

#include <ATen/ATen.h>

#include <memory>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"

namespace ns {
namespace {

// Unsigned numbers of `type` in the next larger type.
at::Tensor Widened(const at::Tensor& values) {
  const bool is_short = values.scalar_type() == at::kShort;
  return values.to(is_short ? at::kInt : at::kLong)
      .bitwise_and(is_short ? int64_t{0xffff} : int64_t{0xffffffff});
}

}  // namespace

absl::StatusOr<NpyFile> NpyFile::Open(const std::string& path) {
  NS_ASSIGN_OR_RETURN(const std::shared_ptr<InputFile> file,
                      InputFile::Open(path, "numpy.save"));
  std::string start(kMostNpyHeaderBytes, '\0');
  start.resize(file->ReadAt(0, start.data(), start.size()));
  NS_ASSIGN_OR_RETURN(NpyHeader header, ParseNpyHeader(start));
  const int64_t expected = header.DataBytes();
  const int64_t held = static_cast<int64_t>(file->size()) - header.data_offset;
  if (held != expected) {
    return absl::InvalidArgumentError(
        absl::StrCat(held < expected ? "is cut off: " : "is damaged: ", held,
                     " bytes of elements are there, and [",
                     absl::StrJoin(header.shape, ", "), "] of '", header.descr,
                     "' take ", expected));
  }
  return NpyFile(path, file->identity(), std::move(header));
}

absl::StatusOr<at::Tensor> NpyFile::ReadElements(
    int64_t begin, const std::vector<int64_t>& sizes) const {
  NS_ASSIGN_OR_RETURN(const std::shared_ptr<InputFile> file,
                      InputFile::Open(path_, "numpy.save"));
  return CatchTorchErrors([&]() -> absl::StatusOr<at::Tensor> {
    const at::Tensor values = at::empty(sizes, header_.dtype);
    const size_t bytes = values.nbytes();
    if (file->identity() != identity_ ||
        file->ReadAt(static_cast<uint64_t>(header_.data_offset + begin),
                     values.data_ptr(), bytes) != bytes ||
        file->HasChanged()) {
      return absl::InvalidArgumentError(
          "cannot be read, or has changed since it was opened; run again when "
          "it is complete");
    }
    return header_.widen ? Widened(values) : values;
  });
}

absl::StatusOr<at::Tensor> NpyFile::Read() const {
  if (!header_.fortran_order) {
    return ReadElements(0, header_.shape);
  }
  // The array with its dimensions turned around is in C order.
  NS_ASSIGN_OR_RETURN(
      const at::Tensor values,
      ReadElements(0, {header_.shape.rbegin(), header_.shape.rend()}));
  return CatchTorchErrors([&] {
    std::vector<int64_t> order(header_.shape.size());
    std::iota(order.rbegin(), order.rend(), 0);
    return values.permute(order);
  });
}

absl::StatusOr<at::Tensor> NpyFile::ReadRows(int64_t begin,
                                             int64_t count) const {
  if (header_.fortran_order) {
    NS_ASSIGN_OR_RETURN(const at::Tensor values, Read());
    return CatchTorchErrors([&] { return values.narrow(0, begin, count); });
  }
  std::vector<int64_t> sizes = header_.shape;
  sizes[0] = 1;
  NpyHeader row = header_;
  row.shape = sizes;
  sizes[0] = count;
  return ReadElements(begin * row.DataBytes(), sizes);
}

}  // namespace ns
