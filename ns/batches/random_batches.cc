#include "ns/batches/random_batches.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"

namespace ns {
namespace {

constexpr absl::string_view kPrefix = "random:";
// No tensor of more elements is a first look.
constexpr int64_t kMostElements = int64_t{1} << 32;

struct NamedType {
  absl::string_view name;
  c10::ScalarType type;
  int64_t limit;
};

constexpr NamedType kTypes[] = {
    {"float32", c10::kFloat, 0}, {"float64", c10::kDouble, 0},
    {"bool", c10::kBool, 2},     {"uint8", c10::kByte, 256},
    {"int32", c10::kInt, 2},     {"int64", c10::kLong, 2}};

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(what);
}

}  // namespace

bool IsRandom(absl::string_view path) {
  return absl::StartsWith(path, kPrefix);
}

absl::StatusOr<RandomBatches> RandomBatches::Parse(absl::string_view spec) {
  RandomBatches batches;
  batches.spec_ = std::string(spec);
  for (const absl::string_view text :
       absl::StrSplit(absl::StripPrefix(spec, kPrefix), '+')) {
    absl::StatusOr<Argument> argument = ParseArgument(text);
    if (!argument.ok()) {
      return Bad(absl::StrCat(spec, ": ", argument.status().message(),
                              "; as in random:1,3,224,224 or "
                              "random:1,128:int64:30522+1,128:bool"));
    }
    batches.arguments_.push_back(*std::move(argument));
  }
  return batches;
}

absl::StatusOr<RandomBatches::Argument> RandomBatches::ParseArgument(
    absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  if (parts.size() > 3) {
    return Bad(
        absl::StrCat("'", text, "' has more than shape, type and limit"));
  }
  Argument argument;
  int64_t elements = 1;
  for (const absl::string_view part : absl::StrSplit(parts[0], ',')) {
    int64_t size = 0;
    if (!absl::SimpleAtoi(part, &size) || size < 1) {
      return Bad(absl::StrCat("'", part, "' is no size"));
    }
    if (size > kMostElements / elements) {
      return Bad(absl::StrCat("'", parts[0], "' has too many elements"));
    }
    elements *= size;
    argument.sizes.push_back(size);
  }
  if (parts.size() == 1) {
    return argument;
  }
  const NamedType* type = nullptr;
  for (const NamedType& known : kTypes) {
    if (known.name == parts[1]) {
      type = &known;
    }
  }
  if (type == nullptr) {
    return Bad(absl::StrCat("'", parts[1],
                            "' is not one of float32, float64, bool, uint8, "
                            "int32, int64"));
  }
  argument.type = type->type;
  argument.limit = type->limit;
  if (parts.size() == 3 &&
      (!c10::isIntegralType(type->type, /*includeBool=*/false) ||
       !absl::SimpleAtoi(parts[2], &argument.limit) || argument.limit < 1 ||
       (type->type == c10::kByte && argument.limit > type->limit))) {
    return Bad(absl::StrCat("'", parts[2], "' is no limit of ", type->name));
  }
  return argument;
}

absl::StatusOr<Batch> RandomBatches::Make(int64_t index) const {
  return CatchTorchErrors(spec_, [&] {
    auto generator =
        at::make_generator<at::CPUGeneratorImpl>(static_cast<uint64_t>(index));
    Batch batch;
    for (const Argument& argument : arguments_) {
      const at::TensorOptions options(argument.type);
      batch.arguments.emplace_back(
          c10::isFloatingType(argument.type)
              ? at::randn(argument.sizes, generator, options)
              : at::randint(argument.limit, argument.sizes, generator,
                            at::TensorOptions(c10::kLong))
                    .to(argument.type));
    }
    batch.source = absl::StrCat(spec_, ": batch ", index);
    return batch;
  });
}

}  // namespace ns
