#include "ir/model/module_state.h"

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/base/deep_copy.h"
#include "ir/graph/module_path.h"

namespace ns {
namespace {

using ::torch::jit::Module;
using Visitor =
    std::function<void(const c10::intrusive_ptr<c10::ivalue::Object>& object,
                       size_t slot, const std::string& path)>;

// Whether values of `type` are tensors, or lists, dicts and the like of plain
// values: no objects, which observers are.
bool IsState(const c10::Type& type) {
  switch (type.kind()) {
    case c10::TypeKind::TensorType:
    case c10::TypeKind::IntType:
    case c10::TypeKind::FloatType:
    case c10::TypeKind::BoolType:
    case c10::TypeKind::StringType:
      return true;
    case c10::TypeKind::ListType:
    case c10::TypeKind::DictType:
    case c10::TypeKind::TupleType:
    case c10::TypeKind::OptionalType:
      return absl::c_all_of(
          type.containedTypes(),
          [](const c10::TypePtr& inner) { return IsState(*inner); });
    default:
      return false;
  }
}

void VisitState(const Module& module, const std::string& path,
                const Visitor& visit,
                std::set<const c10::ivalue::Object*>& visited) {
  if (!visited.insert(module._ivalue().get()).second) {
    return;
  }
  const std::shared_ptr<c10::ClassType> type = module.type();
  for (size_t slot = 0; slot < type->numAttributes(); ++slot) {
    const c10::IValue value = module._ivalue()->getSlot(slot);
    const std::string inner = JoinPath(path, type->getAttributeName(slot));
    if (value.isModule()) {
      VisitState(value.toModule(), inner, visit, visited);
    } else if (!type->is_parameter(slot) &&
               IsState(*type->getAttribute(slot))) {
      visit(module._ivalue(), slot, inner);
    }
  }
}

// Visits each module once, also where it has several paths.
void VisitState(const Module& module, const Visitor& visit) {
  std::set<const c10::ivalue::Object*> visited;
  VisitState(module, "", visit, visited);
}

bool HasGradient(const at::Tensor& tensor) { return !tensor.is_leaf(); }

bool IsWrittenTo(const at::Tensor& tensor) {
  return !tensor.is_inference() && tensor._version() > 0;
}

// The path of the first tensor in the state of `module` that `fits`; "" for
// none.
std::string FirstTensor(const Module& module,
                        bool (*fits)(const at::Tensor& tensor)) {
  std::string first;
  VisitState(module,
             [&](const auto& object, size_t slot, const std::string& path) {
               object->getSlot(slot).visit([&](const c10::IValue& value) {
                 if (first.empty() && value.isTensor() &&
                     value.toTensor().defined() && fits(value.toTensor())) {
                   first = path;
                 }
                 return !first.empty();
               });
             });
  return first;
}

}  // namespace

void CopyModuleState(const Module& module) {
  DeepCopier copier;
  VisitState(module, [&](const auto& object, size_t slot, const std::string&) {
    object->setSlot(slot, copier.Copy(object->getSlot(slot)));
  });
}

ModuleState::ModuleState(const Module& module) {
  DeepCopier copier;
  VisitState(module, [&](const auto& object, size_t slot, const std::string&) {
    attributes_.push_back({object, slot, copier.Copy(object->getSlot(slot))});
  });
}

void ModuleState::Restore() && {
  for (Attribute& attribute : attributes_) {
    attribute.object->setSlot(attribute.slot, std::move(attribute.value));
  }
}

absl::Status NamingState(const Module& module, const absl::Status& status,
                         absl::string_view way_out) {
  if (!absl::StrContains(status.message(),
                         "modified by an inplace operation") &&
      !absl::StrContains(status.message(),
                         "backward through the graph a second time")) {
    return status;
  }
  std::string path = FirstTensor(module, HasGradient);
  if (path.empty()) {
    path = FirstTensor(module, IsWrittenTo);
  }
  return path.empty() ? status
                      : absl::InvalidArgumentError(absl::StrCat(
                            "the model keeps what it computes in '", path,
                            "' from run to run, and no gradient goes back "
                            "through that; ",
                            way_out));
}

}  // namespace ns
