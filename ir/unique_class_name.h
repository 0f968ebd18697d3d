// Names classes that are made while a program runs.
#ifndef IR_UNIQUE_CLASS_NAME_H_
#define IR_UNIQUE_CLASS_NAME_H_

#include <ATen/core/qualified_name.h>

#include <string>

namespace ns {

// Returns `name`, a qualified name, with a mangling that no other call has
// given: "__torch__.nn.___torch_mangle_1000007.Linear" for
// "__torch__.nn.Linear"; UnmangledTypeName (ir/module_path.h) takes it off.
//
// The classes of one model must differ in their names, also where they are of
// different compilation units: LibTorch's alias analysis has them in a hash
// table, by name, whose memory doubles with each further one of the same name.
c10::QualifiedName UniqueClassName(const c10::QualifiedName& name);

}  // namespace ns

#endif  // IR_UNIQUE_CLASS_NAME_H_
