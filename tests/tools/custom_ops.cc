// An op of a user's own, as a library for --load-library.

#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <torch/library.h>

TORCH_LIBRARY(ns_test, library) {
  library.def("twice(Tensor x) -> Tensor",
              [](const at::Tensor& x) { return at::add(x, x); });
}
