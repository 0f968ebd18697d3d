// Finds NaN and infinities in sample inputs. Figures that they spoil say
// nothing about the models, and so the user is told where they are. Attention
// masks are left out: tensors of real numbers that are all 0 or -inf, and not
// all -inf. The -inf in them are meant.
#ifndef NS_SUITE_NON_FINITE_INPUTS_H_
#define NS_SUITE_NON_FINITE_INPUTS_H_

#include <ATen/core/function_schema.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/base/byte_stream.h"
#include "ns/batches/batch.h"

namespace ns {

class NonFiniteInputs {
 public:
  // Arguments have the names of `schema`, whose first one is the module.
  explicit NonFiniteInputs(const c10::FunctionSchema& schema);

  // Looks into the tensors and numbers of `batch`, which is at `index`, also
  // into those inside lists, tuples and dicts. To be called before the batch is
  // run: a model may write into its inputs.
  void Look(const Batch& batch, int64_t index);

  // Whether there were any outside of masks.
  bool found() const { return arguments_found_ > 0; }

  // In one line, with the first three places, and how many more there are;
  // empty where nothing was found:
  //
  //   inputs hold NaN: batch 0, argument 'x'; batch 1, argument 'x'; batch 2,
  //   argument 'x' and 2 more; no culprit is named from their figures
  std::string Warning() const;

  // Save what was found, and add it to what was found in other batches. Places
  // are in the order of batches, whoever looked at them.
  void Save(ByteWriter& writer) const;
  void Merge(ByteReader& reader);

 private:
  // "batch 1, argument 'x'".
  struct Place {
    int64_t batch = 0;
    std::string text;
  };

  void LookAt(const c10::IValue& value, const Place& batch,
              const std::string& argument);

  std::vector<std::string> names_;
  bool has_nan_ = false;
  bool has_inf_ = false;
  // The first few, and how many there are in all.
  std::vector<Place> places_;
  size_t arguments_found_ = 0;
};

// The warning of a method with `schema` that is called with `batches`.
std::string NonFiniteWarning(const c10::FunctionSchema& schema,
                             const std::vector<Batch>& batches);

}  // namespace ns

#endif  // NS_SUITE_NON_FINITE_INPUTS_H_
