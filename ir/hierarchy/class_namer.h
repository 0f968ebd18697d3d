// Names the classes of one module hierarchy.
#ifndef IR_HIERARCHY_CLASS_NAMER_H_
#define IR_HIERARCHY_CLASS_NAMER_H_

#include <ATen/core/qualified_name.h>

#include <cstdint>

namespace torch::jit {
struct CompilationUnit;
}  // namespace torch::jit

namespace ns {

// Gives names that no class of `unit` has, and no two of which are the same,
// whatever their units: "__torch__.nn.___torch_mangle_1000007.Linear" for
// "__torch__.nn.Linear"; UnmangledTypeName (ir/graph/module_path.h) takes the
// mangling off.
//
// LibTorch's alias analysis has the classes of a graph in a hash table, by
// name, whose memory doubles with each further one of the same name.
class ClassNamer {
 public:
  c10::QualifiedName Name(const c10::QualifiedName& name,
                          const torch::jit::CompilationUnit& unit);

 private:
  // Far above the numbers that TorchScript gives, which start at 0 in each
  // unit.
  int64_t next_ = 1000000;
};

}  // namespace ns

#endif  // IR_HIERARCHY_CLASS_NAMER_H_
