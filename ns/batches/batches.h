// Loads sample inputs of a model from files, and fits them to its method.
#ifndef NS_BATCHES_BATCHES_H_
#define NS_BATCHES_BATCHES_H_

#include <ATen/core/function_schema.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ns/batches/batch.h"

namespace ns {

// Reads all batches of one file; BatchReader reads them one at a time. The file
// holds any of
//  * torch.save of a list of batches,
//  * torch.save of a tensor or of a dict: one batch,
//  * a TorchScript module with an attribute `batches`, or whose forward()
//    returns the list of batches,
//  * numpy.save of an array: one batch of one argument,
//  * numpy.savez of arrays: one batch, whose arguments are by name, or by
//    position where they were saved without names.
// A path "random:..." is no file, but asks for random batches
// (ns/batches/random_batches.h).
// A batch is a tensor (one argument), a tuple (positional arguments) or a dict
// of strings (keyword arguments). A tuple at the top is an error: it could be
// the batches or the arguments of one. Tensors are on the CPU and need no
// gradient.
//
// Errors name the file and say what it holds instead: missing, empty,
// truncated, a legacy (non-zip) torch.save, zero batches, or the index and type
// of an element that is no batch.
absl::StatusOr<std::vector<Batch>> LoadBatches(absl::string_view path);

// Makes `batch` fit `schema`, whose first argument is the module: lists and
// dicts that lost their element type in the file get the declared one, and an
// int becomes a float where that is declared. Arguments with defaults may be
// missing. A label after the arguments is dropped: an integer, or a tensor of
// integers that is a class for each sample of the first argument or, of images,
// for each pixel. On error `batch` is as it was.
//
// Error, naming the method: a count, a name or a type that does not fit, such
// as "method 'forward' takes 2 arguments and the input batch has 1; save tuples
// of 2".
absl::Status FitBatch(const c10::FunctionSchema& schema, Batch& batch);

}  // namespace ns

#endif  // NS_BATCHES_BATCHES_H_
