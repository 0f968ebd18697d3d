#include "tools/command_line/output_files.h"

#include <ATen/Context.h>
#include <torch/version.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "ir/base/status.h"
#include "ir/files/write_module.h"
#include "ns/compare/describe_run.h"
#include "ns/result/provenance.h"
#include "tools/command_line/version.h"

namespace ns {
namespace {

FileToWrite NamingErrors(FileContentWriter write, const std::string& path) {
  return {path, [write = std::move(write), path](const std::string& temporary) {
            const absl::Status status = write(temporary);
            return absl::Status(
                status.code(),
                absl::StrReplaceAll(status.message(), {{temporary, path}}));
          }};
}

absl::StatusOr<Provenance> ProvenanceOf(const ModelOrigin& origin,
                                        const std::string& engine) {
  Provenance provenance;
  provenance.tool = absl::StrCat("ns ", kVersion);
  provenance.command = origin.command;
  provenance.libtorch = TORCH_VERSION;
  provenance.engine = engine;
  provenance.processor = ProcessorName();
  for (const std::string& path : origin.inputs) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) {
      NS_ASSIGN_OR_RETURN(std::string hash, Sha256Of(path));
      provenance.files.push_back({path, std::move(hash)});
    }
  }
  return provenance;
}

}  // namespace

FileToWrite ModelFile(ModelGraph model, const std::string& path,
                      const ModelOrigin& origin) {
  const auto owned = std::make_shared<const ModelGraph>(std::move(model));
  const std::string engine =
      absl::AsciiStrToLower(toString(at::globalContext().qEngine()));
  return {path, [=](const std::string& temporary) -> absl::Status {
            NS_ASSIGN_OR_RETURN(const Provenance provenance,
                                ProvenanceOf(origin, engine));
            const std::string what =
                owned->source().empty()
                    ? absl::StrCat(path, ": cannot save")
                    : absl::StrCat(owned->source(), ": cannot save it as ",
                                   path);
            return WriteModule(owned->module(), {what, path}, temporary,
                               ProvenanceJson(provenance));
          }};
}

FileToWrite TextFile(std::string text, const std::string& path) {
  return NamingErrors(
      [text = std::move(text)](const std::string& temporary) {
        return WriteFileAtomically(temporary, text);
      },
      path);
}

}  // namespace ns
