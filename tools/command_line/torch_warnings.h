// Prints LibTorch's warnings in a form for users.
#ifndef TOOLS_COMMAND_LINE_TORCH_WARNINGS_H_
#define TOOLS_COMMAND_LINE_TORCH_WARNINGS_H_

namespace ns {

// Makes each warning of LibTorch be printed once to standard error, as "ns:
// warning: LibTorch: text", and not each time that an op gives it.
void PrintTorchWarningsOnce();

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_TORCH_WARNINGS_H_
