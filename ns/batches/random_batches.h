// Makes random inputs for a first look at a model without data.
#ifndef NS_BATCHES_RANDOM_BATCHES_H_
#define NS_BATCHES_RANDOM_BATCHES_H_

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ns/batches/batch.h"

namespace ns {

// Whether `path` asks for random inputs and is no file: "random:...".
bool IsRandom(absl::string_view path);

// The tensors of random batches.
class RandomBatches {
 public:
  // How many batches there are.
  static constexpr int64_t kCount = 8;

  // Parses "random:1,3,224,224": the shape of one argument. Several are parted
  // by "+", and a type comes after a colon: "random:1,128:int64+1,128:bool".
  // The types are float32 (the default), whose values are normal with mean 0
  // and standard deviation 1; float64, likewise; bool; and uint8, int32 and
  // int64, whose values are from 0 up to and without a number after another
  // colon, which is 256 for uint8 and 2 otherwise: "1,128:int64:30522". Error:
  // a phrase that begins with the spec and says what of it is wrong.
  static absl::StatusOr<RandomBatches> Parse(absl::string_view spec);

  // Returns batch `index`, which is the same in every call and process. Error:
  // there is no memory for it.
  absl::StatusOr<Batch> Make(int64_t index) const;

 private:
  struct Argument {
    std::vector<int64_t> sizes;
    c10::ScalarType type = c10::kFloat;
    // Integers are below it.
    int64_t limit = 2;
  };

  static absl::StatusOr<Argument> ParseArgument(absl::string_view text);

  std::string spec_;
  std::vector<Argument> arguments_;
};

}  // namespace ns

#endif  // NS_BATCHES_RANDOM_BATCHES_H_
