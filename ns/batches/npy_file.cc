#include "ns/batches/npy_file.h"

#include <ATen/ATen.h>

#include <cstring>
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

// Error: there are not as many bytes of elements as `header` says.
absl::Status CheckBytes(const NpyHeader& header, int64_t held) {
  const int64_t expected = header.DataBytes();
  if (held == expected) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      held < expected ? "is cut off: " : "is damaged: ", held,
      " bytes of elements are there, and [", absl::StrJoin(header.shape, ", "),
      "] of '", header.descr, "' take ", expected));
}

// The sizes of the elements as they lie in memory: those of an array in
// Fortran order are turned around.
std::vector<int64_t> SizesInMemory(const NpyHeader& header) {
  return header.fortran_order
             ? std::vector<int64_t>(header.shape.rbegin(), header.shape.rend())
             : header.shape;
}

// Turns the dimensions of an array in Fortran order back.
at::Tensor WithShape(const NpyHeader& header, const at::Tensor& values) {
  if (!header.fortran_order) {
    return values;
  }
  std::vector<int64_t> order(header.shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return values.permute(order);
}

}  // namespace

bool NpyFile::IsOne(const InputFile& file) {
  std::string start(kNpyMagic.size(), '\0');
  start.resize(file.ReadAt(0, start.data(), start.size()));
  return start == kNpyMagic;
}

absl::StatusOr<NpyFile> NpyFile::Open(const std::string& path) {
  NS_ASSIGN_OR_RETURN(const std::shared_ptr<InputFile> file,
                      InputFile::Open(path, "numpy.save"));
  std::string start(kMostNpyHeaderBytes, '\0');
  start.resize(file->ReadAt(0, start.data(), start.size()));
  NS_ASSIGN_OR_RETURN(NpyHeader header, ParseNpyHeader(start));
  NS_RETURN_IF_ERROR(CheckBytes(
      header, static_cast<int64_t>(file->size()) - header.data_offset));
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
  NS_ASSIGN_OR_RETURN(const at::Tensor values,
                      ReadElements(0, SizesInMemory(header_)));
  return CatchTorchErrors([&] { return WithShape(header_, values); });
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

absl::StatusOr<at::Tensor> ParseNpy(absl::string_view bytes) {
  NS_ASSIGN_OR_RETURN(const NpyHeader header,
                      ParseNpyHeader(bytes.substr(0, kMostNpyHeaderBytes)));
  const absl::string_view elements =
      bytes.substr(static_cast<size_t>(header.data_offset));
  NS_RETURN_IF_ERROR(CheckBytes(header, static_cast<int64_t>(elements.size())));
  return CatchTorchErrors([&] {
    const at::Tensor values = at::empty(SizesInMemory(header), header.dtype);
    std::memcpy(values.data_ptr(), elements.data(), elements.size());
    return WithShape(header, header.widen ? Widened(values) : values);
  });
}

}  // namespace ns
