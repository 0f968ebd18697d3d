#include "ns/compare/fault_guard.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <utility>

#include "absl/algorithm/container.h"
#include "passes/runtime/op_faults.h"

namespace ns {

FaultGuard::FaultGuard(const ModelPair& models) {
  const auto here = OpEnvironment::Here(at::globalContext().qEngine());
  faulty_ = FaultyLayers(models.float_model.graph(), here);
  for (FaultyLayer& layer :
       FaultyLayers(models.quantized_model.graph(), here)) {
    if (absl::c_none_of(faulty_, [&](const FaultyLayer& other) {
          return other.name == layer.name;
        })) {
      faulty_.push_back(std::move(layer));
    }
  }
  if (absl::c_any_of(faulty_, [](const FaultyLayer& layer) {
        return layer.fault == OpFault::kStridedPointwise;
      })) {
    threads_ = at::get_num_threads();
    at::set_num_threads(1);
  }
}

FaultGuard::~FaultGuard() {
  if (threads_) {
    at::set_num_threads(*threads_);
  }
}

std::vector<std::string> FaultGuard::Warnings() const {
  std::vector<std::string> warnings = DescribeFaults(faulty_);
  if (threads_) {
    warnings.push_back(
        "therefore, each op ran on one thread; ns lower makes a model without "
        "this fault");
  }
  return warnings;
}

}  // namespace ns
