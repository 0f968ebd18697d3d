#include "ns/training/training_checkpoint.h"

#include <ATen/ATen.h>
#include <torch/csrc/jit/serialization/export.h>
#include <torch/serialize/archive.h>

#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/files/atomic_file.h"
#include "ir/files/file_writer.h"
#include "ir/files/module_file.h"
#include "ir/graph/module_path.h"
#include "ir/hierarchy/make_module.h"
#include "passes/quantization/observe/observer_object.h"
#include "passes/runtime/observers/fake_quantize.h"

namespace ns {
namespace {

using ::torch::jit::Module;

constexpr char kClass[] = "ns.TrainingCheckpoint";
constexpr int64_t kVersion = 1;

// The numbers of one TrainingFigures.
constexpr size_t kFigures = 4;

void Append(const TrainingFigures& figures, c10::List<double>& numbers) {
  numbers.push_back(static_cast<double>(figures.batches));
  numbers.push_back(figures.loss_sum);
  numbers.push_back(static_cast<double>(figures.samples));
  numbers.push_back(static_cast<double>(figures.correct));
}

TrainingFigures FiguresAt(const c10::List<double>& numbers, size_t index) {
  const size_t first = index * kFigures;
  const auto count = [&](size_t i) {
    return static_cast<int64_t>(numbers.get(first + i));
  };
  TrainingFigures figures;
  figures.batches = count(0);
  figures.loss_sum = numbers.get(first + 1);
  figures.samples = count(2);
  figures.correct = count(3);
  return figures;
}

at::Tensor BytesOf(const torch::optim::Optimizer& optimizer) {
  torch::serialize::OutputArchive archive;
  optimizer.save(archive);
  std::ostringstream stream;
  archive.save_to(stream);
  const std::string bytes = stream.str();
  at::Tensor tensor =
      at::empty({static_cast<int64_t>(bytes.size())}, at::kByte);
  std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

void Load(const at::Tensor& bytes, torch::optim::Optimizer& optimizer) {
  std::istringstream stream(
      std::string(static_cast<const char*>(bytes.data_ptr()),
                  static_cast<size_t>(bytes.numel())));
  torch::serialize::InputArchive archive;
  archive.load_from(stream);
  optimizer.load(archive);
}

// Error: `saved` does not have all that `model` has.
absl::Status CheckSame(const Module& saved, const Module& model,
                       const std::string& path) {
  for (const auto& attribute : model.named_attributes(/*recurse=*/false)) {
    const std::string name = JoinPath(path, attribute.name);
    const bool is_there = saved.hasattr(attribute.name);
    if (!is_there ||
        saved.attr(attribute.name).tagKind() != attribute.value.tagKind()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "is a checkpoint of another model, which has no '", name, "'"));
    }
    if (attribute.value.isModule()) {
      NS_RETURN_IF_ERROR(CheckSame(saved.attr(attribute.name).toModule(),
                                   attribute.value.toModule(), name));
    } else if (ObserverIn(attribute.value) != nullptr &&
               saved.attr(attribute.name).type() != attribute.value.type()) {
      return absl::InvalidArgumentError(
          absl::StrCat("is a checkpoint of another model, whose '", name,
                       "' is another observer"));
    } else if (attribute.value.isTensor() &&
               attribute.value.toTensor().requires_grad() &&
               saved.attr(attribute.name).toTensor().sizes() !=
                   attribute.value.toTensor().sizes()) {
      return absl::InvalidArgumentError(
          absl::StrCat("is a checkpoint of another model, whose '", name,
                       "' has another shape"));
    }
  }
  return absl::OkStatus();
}

void CopyObserver(const ObserverPtr& from, const ObserverPtr& to) {
  to->SetState(from->State());
  to->SetSeen(from->seen());
}

void CopyState(const Module& saved, Module model) {
  for (const auto& attribute : model.named_attributes(/*recurse=*/false)) {
    const c10::IValue from = saved.attr(attribute.name);
    const c10::IValue& to = attribute.value;
    if (to.isModule()) {
      CopyState(from.toModule(), to.toModule());
      continue;
    }
    if (ObserverIn(to) != nullptr) {
      CopyObserver(ObserverIn(from), ObserverIn(to));
      if (to.type() == c10::getTypePtr<FakeQuantizePtr>()) {
        to.toCustomClass<FakeQuantize>()->SetState(
            from.toCustomClass<FakeQuantize>()->state());
      }
    } else if (to.isTensor() &&
               to.toTensor().sizes() == from.toTensor().sizes()) {
      // In place: others hold the tensor, too.
      const at::NoGradGuard no_grad;
      to.toTensor().copy_(from.toTensor());
    } else if (!to.isObject()) {
      model.setattr(attribute.name, from);
    }
  }
}

// What of `run`, a checkpoint's, is otherwise than in `now`: "lr was 0.1 and is
// 0.01".
std::string FirstDifference(const std::string& run, const std::string& now) {
  const std::vector<std::string> was = absl::StrSplit(run, '\n');
  const std::vector<std::string> is = absl::StrSplit(now, '\n');
  for (size_t i = 0; i < is.size(); ++i) {
    const std::pair<std::string, std::string> ours =
        absl::StrSplit(is[i], absl::MaxSplits('=', 1));
    if (i >= was.size() || was[i] != is[i]) {
      const std::pair<std::string, std::string> theirs =
          absl::StrSplit(i < was.size() ? was[i] : "", absl::MaxSplits('=', 1));
      return absl::StrCat(ours.first, " was ", theirs.second, " and is ",
                          ours.second);
    }
  }
  return "it has other settings";
}

absl::StatusOr<bool> Exists(const std::string& path) {
  std::error_code error;
  const bool exists = std::filesystem::exists(path, error);
  if (error) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": cannot look for a checkpoint: ", error.message(),
        "; make its folder readable, or name another --checkpoint"));
  }
  return exists;
}

// LibTorch's own archive of a file throws in its destructor where the disk is
// full, which ends the process.
absl::Status WriteModule(const Module& module, const std::string& path) {
  FileWriter file(path);
  NS_RETURN_IF_ERROR(CatchTorchErrors([&] {
    torch::jit::ExportModule(module, [&](const void* bytes, size_t count) {
      file.Write(bytes, count);
      return count;
    });
  }));
  return file.Close();
}

TrainingPosition PositionOf(const Module& checkpoint) {
  TrainingPosition position;
  position.epoch = checkpoint.attr("epoch").toInt();
  position.batch = checkpoint.attr("batch").toInt();
  const c10::List<double> figures = checkpoint.attr("figures").toDoubleList();
  position.so_far = FiguresAt(figures, 0);
  for (size_t i = 1; (i + 2) * kFigures <= figures.size(); i += 2) {
    position.epochs.push_back({static_cast<int64_t>(i / 2),
                               FiguresAt(figures, i),
                               FiguresAt(figures, i + 1)});
  }
  return position;
}

}  // namespace

absl::Status SaveCheckpoint(const std::string& path, const std::string& run,
                            const Module& model,
                            const torch::optim::Optimizer& optimizer,
                            const TrainingPosition& position) {
  return CatchTorchErrors("writing a checkpoint", [&] {
    Module checkpoint = NewModule(kClass);
    const auto add = [&](const char* name, const c10::IValue& value) {
      checkpoint.register_attribute(name, value.type(), value);
    };
    c10::List<double> figures;
    Append(position.so_far, figures);
    for (const EpochReport& epoch : position.epochs) {
      Append(epoch.trained, figures);
      Append(epoch.held_out, figures);
    }
    add("version", kVersion);
    add("run", run);
    add("epoch", position.epoch);
    add("batch", position.batch);
    add("figures", figures);
    checkpoint.register_buffer("optimizer", BytesOf(optimizer));
    checkpoint.register_module("model", model);
    return WriteFileAtomically(path, [&](const std::string& temporary) {
      return WriteModule(checkpoint, temporary);
    });
  });
}

absl::StatusOr<std::optional<TrainingPosition>> RestoreCheckpoint(
    const std::string& path, const std::string& run, const Module& model,
    torch::optim::Optimizer& optimizer) {
  NS_ASSIGN_OR_RETURN(const bool exists, Exists(path));
  if (!exists) {
    return std::nullopt;
  }
  const auto refuse = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": ", what, "; remove it, or name another --checkpoint"));
  };
  NS_ASSIGN_OR_RETURN(const Module checkpoint, LoadModule(path));
  return CatchTorchErrors(
      path, [&]() -> absl::StatusOr<std::optional<TrainingPosition>> {
        if (UnmangledTypeName(checkpoint.type()->name()->qualifiedName()) !=
            kClass) {
          return refuse("is no checkpoint of a training");
        }
        if (checkpoint.attr("version").toInt() != kVersion) {
          return refuse("is a checkpoint of another version of ns");
        }
        const std::string saved_run = checkpoint.attr("run").toStringRef();
        if (saved_run != run) {
          return refuse(absl::StrCat("is a checkpoint of another run: ",
                                     FirstDifference(saved_run, run)));
        }
        const Module saved = checkpoint.attr("model").toModule();
        const absl::Status same = CheckSame(saved, model, "");
        if (!same.ok()) {
          return refuse(same.message());
        }
        Load(checkpoint.attr("optimizer").toTensor(), optimizer);
        CopyState(saved, model);
        return PositionOf(checkpoint);
      });
}

}  // namespace ns
