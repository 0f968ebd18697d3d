// The commands on damaged models: an error of one line or a result, and never a
// signal.
//
// NS_FUZZ_MUTANTS is how many models are tried, NS_FUZZ_SEED which ones.
#include <ATen/Parallel.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "passes/runtime/onednn_faults.h"
#include "tests/testing/mutate_archive.h"
#include "tests/testing/temporary_file.h"
#include "tools/command_line/torch_warnings.h"
#include "tools/commands/run_ns.h"

namespace ns {
namespace {

constexpr int kMutants = 400;
constexpr unsigned kSeconds = 60;
// The models take 300 MB; a size that a damaged file claims must not add to it.
constexpr int64_t kMostKilobytes = 1'500'000;

struct ModelPair {
  const char* float_name;
  const char* quantized_name;
  const char* inputs_name;
};

constexpr ModelPair kPairs[] = {
    {"net_float", "net_quantized", "images"},
    {"net_float_frozen", "net_quantized_frozen", "images"},
    {"mlp_float", "mlp_quantized", "rows"},
    {"encoder_float", "encoder_quantized", "rows"},
};

std::string Case(absl::string_view name) {
  return absl::StrCat("tests/tools/cases/", name, ".pt");
}

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoll(value);
}

struct Ending {
  int status = 0;
  int64_t kilobytes = 0;
  std::string error;
};

class ModelFuzzTest : public testing::Test {
 protected:
  void SetUp() override {
    // A process that forks must have no threads.
    at::set_num_threads(1);
    AvoidOneDnnFaults();
    PrintTorchWarningsOnce();
    std::filesystem::create_directory(outputs_);
    // What is set up once is set up before there are children.
    for (size_t command = 0; command < 4; ++command) {
      ASSERT_EQ(Run(Arguments(command, kPairs[0], Case("net_float"),
                              Case("net_quantized")))
                    .error,
                "");
      RunNs(Arguments(command, kPairs[0], Case("net_float"),
                      Case("net_quantized")));
    }
    ClearOutputs();
  }

  // Returns how many files there were.
  int64_t ClearOutputs() {
    int64_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(outputs_)) {
      std::filesystem::remove(entry.path());
      ++files;
    }
    return files;
  }

  std::vector<std::string> Arguments(size_t command, const ModelPair& pair,
                                     const std::string& float_path,
                                     const std::string& quantized_path) const {
    const std::string models[] = {absl::StrCat("--float=", float_path),
                                  absl::StrCat("--quantized=", quantized_path)};
    switch (command) {
      case 0:
        return {"match", models[0], models[1], "--quiet"};
      case 1:
        return {
            "compare",     models[0],
            models[1],     absl::StrCat("--inputs=", Case(pair.inputs_name)),
            "--threads=1", "--quiet"};
      case 2:
        return {"instrument", models[0], models[1],
                absl::StrCat("--out-float=", outputs_, "/float.pt"),
                absl::StrCat("--out-quantized=", outputs_, "/quantized.pt")};
      default:
        return {"lower", absl::StrCat("--in=", quantized_path), "--quiet",
                absl::StrCat("--out=", outputs_, "/lowered.pt")};
    }
  }

  // Runs ns in a child.
  static Ending Run(const std::vector<std::string>& arguments) {
    std::FILE* error = std::tmpfile();
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      alarm(kSeconds);
      dup2(fileno(error), STDERR_FILENO);
      _exit(RunNs(arguments));
    }
    Ending ending;
    rusage usage = {};
    wait4(child, &ending.status, 0, &usage);
    ending.kilobytes = usage.ru_maxrss;
    std::rewind(error);
    for (int c = std::fgetc(error); c != EOF; c = std::fgetc(error)) {
      ending.error.push_back(static_cast<char>(c));
    }
    std::fclose(error);
    return ending;
  }

  const std::string mutant_path_ = TemporaryPath("mutant.pt");
  const std::string outputs_ = TemporaryPath("outputs");
};

// What is wrong with the way in which a command ended, "" for nothing.
std::string Fault(const Ending& ending, const Mutant& mutant) {
  if (WIFSIGNALED(ending.status)) {
    return absl::StrCat("signal ", WTERMSIG(ending.status));
  }
  const int code = WEXITSTATUS(ending.status);
  if (code != 0 && code != 2 && code != 3) {
    return absl::StrCat("exit code ", code);
  }
  if (ending.kilobytes > kMostKilobytes) {
    return absl::StrCat(ending.kilobytes, " KB of memory");
  }
  if (code == 0) {
    return mutant.must_fail ? "the damage was not found" : "";
  }
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(ending.error, '\n')) {
    if (!line.empty() && !absl::StartsWith(line, "ns: warning: ")) {
      lines.emplace_back(line);
    }
  }
  if (lines.size() != 1 || !absl::StartsWith(lines[0], "ns: ")) {
    return absl::StrCat(lines.size(), " lines");
  }
  // What fails as it runs may be the fault of the inputs, which are named then,
  // as is the model.
  if (!absl::StrContains(lines[0], "mutant.pt") &&
      !absl::StrContains(lines[0], "the float model, running") &&
      !absl::StrContains(lines[0], "the quantized model, running")) {
    return "the file is not named";
  }
  return absl::StrContains(lines[0], "INTERNAL ASSERT") ? "an assertion" : "";
}

TEST_F(ModelFuzzTest, DamagedModelsEndInAnErrorOrAResult) {
  const int64_t mutants = FromEnvironment("NS_FUZZ_MUTANTS", kMutants);
  std::mt19937 random(FromEnvironment("NS_FUZZ_SEED", 1));
  std::map<int, int64_t> endings;
  for (int64_t i = 0; i < mutants; ++i) {
    const ModelPair& pair = kPairs[random() % std::size(kPairs)];
    const size_t command = random() % 4;
    // `lower` has the quantized model alone.
    const bool is_float = command != 3 && random() % 3 == 0;
    const std::string good =
        Case(is_float ? pair.float_name : pair.quantized_name);
    const Mutant mutant = Mutate(ReadFile(good), random);
    WriteFile(mutant_path_, mutant.bytes);
    const Ending ending = Run(Arguments(
        command, pair, is_float ? mutant_path_ : Case(pair.float_name),
        is_float ? Case(pair.quantized_name) : mutant_path_));
    ++endings[ending.status];
    std::string fault = Fault(ending, mutant);
    if (ClearOutputs() > 0 && ending.status != 0 && fault.empty()) {
      fault = "files were left";
    }
    EXPECT_EQ(fault, "") << "mutant " << i << " of " << good << ", command "
                         << command << ": " << mutant.what << "\n"
                         << ending.error;
  }
  for (const auto& [status, count] : endings) {
    std::printf("status %d: %lld of %lld mutants\n", status,
                static_cast<long long>(count), static_cast<long long>(mutants));
  }
  // Otherwise the damage stops at a check before the code that matters.
  EXPECT_GT(endings[0], 0);
}

}  // namespace
}  // namespace ns
