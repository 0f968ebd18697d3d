// Ops of a user's own, as a library for --load-library.

#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/clone.h>
#include <torch/library.h>

TORCH_LIBRARY(ns_test, library) {
  library.def("twice(Tensor x) -> Tensor",
              [](const at::Tensor& x) { return at::add(x, x); });
  // Of either dtype.
  library.def("keep(Tensor x) -> Tensor",
              [](const at::Tensor& x) { return at::clone(x); });
}
