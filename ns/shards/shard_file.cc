#include "ns/shards/shard_file.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/base/byte_stream.h"
#include "ir/base/status.h"
#include "ir/files/input_file.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SHA256.h"

namespace ns {
namespace {

// Of all versions; the number of this one follows.
constexpr absl::string_view kMagic = "ns shard file\n";
constexpr int64_t kVersion = 1;
constexpr size_t kHashBytes = 32;

std::string HashOf(absl::string_view bytes) {
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(bytes.data(), bytes.size()));
  // A StringRef before LLVM 16, an array of bytes since.
  const auto digest = hash.final();
  return std::string(reinterpret_cast<const char*>(digest.data()),
                     digest.size());
}

void Write(const ShardHeader& header, ByteWriter& writer) {
  writer.Integer(static_cast<int64_t>(header.arguments.size()));
  for (const std::string& argument : header.arguments) {
    writer.Text(argument);
  }
  writer.Integer(static_cast<int64_t>(header.properties.size()));
  for (const RunProperty& property : header.properties) {
    writer.Text(property.name);
    writer.Text(property.value);
  }
  writer.Text(header.engine);
  for (const int64_t number :
       {header.threads, int64_t{header.for_html}, header.shard.index,
        header.shard.count, header.batches, header.done}) {
    writer.Integer(number);
  }
}

ShardHeader ReadHeader(ByteReader& reader) {
  ShardHeader header;
  const size_t arguments = reader.Count();
  for (size_t i = 0; reader.ok() && i < arguments; ++i) {
    header.arguments.push_back(reader.Text());
  }
  const size_t properties = reader.Count();
  for (size_t i = 0; reader.ok() && i < properties; ++i) {
    RunProperty property;
    property.name = reader.Text();
    property.value = reader.Text();
    header.properties.push_back(std::move(property));
  }
  header.engine = reader.Text();
  header.threads = reader.Integer();
  header.for_html = reader.Integer() != 0;
  for (int64_t* number : {&header.shard.index, &header.shard.count,
                          &header.batches, &header.done}) {
    *number = reader.Integer();
  }
  const Shard& shard = header.shard;
  if (shard.count < 1 || shard.index < 0 || shard.index >= shard.count ||
      header.batches < 0 || header.done < 0 ||
      header.done > shard.Size(header.batches)) {
    reader.Fail();
  }
  return header;
}

absl::StatusOr<std::string> ReadAll(const std::string& path) {
  NS_ASSIGN_OR_RETURN(const std::shared_ptr<InputFile> file,
                      InputFile::Open(path, "ns compare --save-shard"));
  std::string bytes(file->size(), '\0');
  size_t position = 0;
  while (const size_t count = file->ReadAt(position, bytes.data() + position,
                                           bytes.size() - position)) {
    position += count;
  }
  return position == bytes.size()
             ? absl::StatusOr<std::string>(std::move(bytes))
             : absl::InvalidArgumentError("cannot be read to its end");
}

absl::StatusOr<ShardFile> Parse(absl::string_view bytes) {
  const auto damaged = [] {
    return absl::InvalidArgumentError(
        "is damaged: its bytes are not those that were written; run this shard "
        "again");
  };
  if (!absl::StartsWith(bytes, kMagic)) {
    return absl::StartsWith(kMagic, bytes)
               ? damaged()
               : absl::NotFoundError(
                     "is not a shard file; ns compare --save-shard=PATH "
                     "writes them");
  }
  if (bytes.size() < kMagic.size() + kHashBytes) {
    return damaged();
  }
  const absl::string_view hashed = bytes.substr(0, bytes.size() - kHashBytes);
  if (HashOf(hashed) != bytes.substr(hashed.size())) {
    return damaged();
  }
  ByteReader reader(hashed.substr(kMagic.size()));
  const int64_t version = reader.Integer();
  if (reader.ok() && version != kVersion) {
    return absl::InvalidArgumentError(absl::StrCat(
        "is a shard file of version ", version, ", and this ns reads version ",
        kVersion, "; use one ns for all shards and for merging"));
  }
  ShardFile file;
  file.header = ReadHeader(reader);
  file.state = reader.Text();
  return reader.AtEnd() ? absl::StatusOr<ShardFile>(std::move(file))
                        : damaged();
}

}  // namespace

std::string ShardFileBytes(const ShardHeader& header, absl::string_view state) {
  ByteWriter writer;
  writer.Integer(kVersion);
  Write(header, writer);
  writer.Text(state);
  const std::string bytes = absl::StrCat(kMagic, writer.bytes());
  return absl::StrCat(bytes, HashOf(bytes));
}

absl::StatusOr<ShardFile> ReadShardFile(const std::string& path) {
  const absl::StatusOr<std::string> bytes = ReadAll(path);
  NS_RETURN_IF_ERROR(Annotated(path, bytes.status()));
  absl::StatusOr<ShardFile> file = Parse(*bytes);
  NS_RETURN_IF_ERROR(Annotated(path, file.status()));
  return file;
}

absl::Status CheckSameRun(const ShardHeader& header, const std::string& path,
                          const ShardHeader& other,
                          const std::string& other_path) {
  const auto check = [&](absl::string_view name, const std::string& value,
                         const std::string& other_value,
                         absl::string_view cure = "") -> absl::Status {
    return value == other_value
               ? absl::OkStatus()
               : absl::InvalidArgumentError(absl::StrCat(
                     path, ": is of another run than ", other_path, ": ", name,
                     ": ", value, ", and there ", other_value, cure));
  };
  NS_RETURN_IF_ERROR(check("the flags", absl::StrJoin(header.arguments, " "),
                           absl::StrJoin(other.arguments, " ")));
  const size_t properties =
      std::max(header.properties.size(), other.properties.size());
  for (size_t i = 0; i < properties; ++i) {
    const RunProperty none = {"", "none"};
    const RunProperty& own =
        i < header.properties.size() ? header.properties[i] : none;
    const RunProperty& theirs =
        i < other.properties.size() ? other.properties[i] : none;
    NS_RETURN_IF_ERROR(check(own.name.empty() ? theirs.name : own.name,
                             own.value, theirs.value));
  }
  const auto number = [](int64_t value) { return absl::StrCat(value); };
  NS_RETURN_IF_ERROR(check("the number of shards", number(header.shard.count),
                           number(other.shard.count)));
  NS_RETURN_IF_ERROR(check("the number of batches", number(header.batches),
                           number(other.batches)));
  NS_RETURN_IF_ERROR(check("for an HTML report", header.for_html ? "yes" : "no",
                           other.for_html ? "yes" : "no",
                           "; give --html to all shards or to none"));
  NS_RETURN_IF_ERROR(
      check("threads", number(header.threads), number(other.threads),
            ", and sums may round differently; give --threads=N"));
  if (header.done == 0 || other.done == 0) {
    return absl::OkStatus();
  }
  return check("the engine", header.engine, other.engine,
               "; give --engine=NAME");
}

}  // namespace ns
