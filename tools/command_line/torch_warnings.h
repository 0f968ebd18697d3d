// Prints LibTorch's warnings in a form for users.
#ifndef TOOLS_COMMAND_LINE_TORCH_WARNINGS_H_
#define TOOLS_COMMAND_LINE_TORCH_WARNINGS_H_

namespace ns {

// Makes each warning that LibTorch gives on the calling thread be printed once
// to standard error, as "ns: warning: LibTorch: text", and not each time that
// an op gives it. Only the first line of the text counts. The
// deprecation of quantized types is not printed. LibTorch has a handler for
// each thread: warnings on others are printed as ever.
void PrintTorchWarningsOnce();

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_TORCH_WARNINGS_H_
