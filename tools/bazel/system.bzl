"""The libraries of this machine, as `@system//:NAME`."""

def _library_dirs(ctx):
    """Folders to look for shared libraries in, most specific first."""
    return ["/usr/lib/" + arch for arch in [
        "x86_64-linux-gnu",
        "aarch64-linux-gnu",
    ]] + ["/usr/lib", "/usr/local/lib"]

def _find(ctx, dirs, name):
    for folder in dirs:
        if ctx.path(folder + "/" + name).exists:
            return folder
    return None

# name: (header that must be there, library file, Debian package, linkopts, deps)
_SIMPLE = {
    "absl_algorithm": ("absl/algorithm/container.h", None, "libabsl-dev", [], []),
    "absl_base": ("absl/base/attributes.h", "libabsl_base.so", "libabsl-dev", ["-labsl_base", "-labsl_raw_logging_internal", "-labsl_throw_delegate"], []),
    "absl_hash": ("absl/hash/hash.h", "libabsl_hash.so", "libabsl-dev", ["-labsl_hash", "-labsl_city", "-labsl_low_level_hash"], [":absl_base"]),
    "absl_containers": ("absl/container/flat_hash_map.h", "libabsl_raw_hash_set.so", "libabsl-dev", ["-labsl_raw_hash_set", "-labsl_hashtablez_sampler"], [":absl_hash"]),
    "absl_strings": ("absl/strings/str_cat.h", "libabsl_strings.so", "libabsl-dev", ["-labsl_str_format_internal", "-labsl_strings", "-labsl_strings_internal", "-labsl_int128"], [":absl_base"]),
    "absl_status": ("absl/status/statusor.h", "libabsl_status.so", "libabsl-dev", ["-labsl_statusor", "-labsl_status", "-labsl_cord"], [":absl_strings"]),
    "absl_flags": ("absl/flags/flag.h", "libabsl_flags_parse.so", "libabsl-dev", [
        "-labsl_flags_parse",
        "-labsl_flags_usage",
        "-labsl_flags_usage_internal",
        "-labsl_flags",
        "-labsl_flags_internal",
        "-labsl_flags_marshalling",
        "-labsl_flags_reflection",
        "-labsl_flags_config",
        "-labsl_flags_program_name",
        "-labsl_flags_private_handle_accessor",
        "-labsl_flags_commandlineflag",
        "-labsl_flags_commandlineflag_internal",
        "-labsl_synchronization",
    ], [":absl_containers", ":absl_strings"]),
    "dnnl": ("dnnl.hpp", "libdnnl.so", "libdnnl-dev", ["-ldnnl"], []),
    "benchmark": ("benchmark/benchmark.h", "libbenchmark.so", "libbenchmark-dev", ["-lbenchmark", "-lpthread"], []),
    "gtest": ("gtest/gtest.h", "libgtest.a", "libgtest-dev", ["-lgtest", "-lpthread"], []),
    "gmock": ("gmock/gmock.h", "libgmock.a", "libgmock-dev", ["-lgmock"], [":gtest"]),
    "gtest_main": ("gtest/gtest.h", "libgtest_main.a", "libgtest-dev", ["-lgmock_main"], [":gmock"]),
}

def _missing(what, package):
    fail("\n\n%s not found; install it with: apt-get install %s (or run tools/setup.sh)\n" % (what, package))

def _simple_libraries(ctx, dirs):
    rules = []
    for name, (header, library, package, linkopts, deps) in _SIMPLE.items():
        if not ctx.path("/usr/include/" + header).exists:
            _missing("header " + header, package)
        if library and not _find(ctx, dirs, library):
            _missing("library " + library, package)
        rules.append(_rule(name, linkopts = linkopts, deps = deps))
    return rules

def _rule(name, linkopts = [], deps = [], hdrs = "[]", includes = []):
    # `includes` of an external repository become -isystem: our warnings are for
    # our code.
    return """
cc_library(
    name = "{name}",
    hdrs = {hdrs},
    includes = {includes},
    linkopts = {linkopts},
    deps = {deps},
)
""".format(
        name = name,
        hdrs = hdrs,
        includes = repr(includes),
        linkopts = repr(linkopts),
        deps = repr(deps),
    )

def _llvm(ctx, dirs):
    include = "/usr/include/llvm-14"
    if not ctx.path(include + "/llvm/ADT/SmallVector.h").exists:
        _missing("LLVM ADT", "llvm-14-dev")
    if not _find(ctx, ["/usr/lib/llvm-14/lib"] + dirs, "libLLVM-14.so"):
        _missing("library libLLVM-14.so", "llvm-14-dev")

    # .bazelrc has the -isystem for it.
    return [_rule(
        "llvm",
        linkopts = ["-L/usr/lib/llvm-14/lib", "-lLLVM-14"],
    )]

def _isal(ctx, dirs):
    include = "/usr/include/isa-l"
    if not ctx.path(include + "/crc.h").exists:
        _missing("header isa-l/crc.h", "libisal-dev")
    if not _find(ctx, dirs, "libisal.so"):
        _missing("library libisal.so", "libisal-dev")

    # Bazel's list of the compiler's own headers, which layering_check goes by,
    # is as old as the first build: it may not have those of a package that was
    # installed since.
    ctx.symlink(include, "isal/isa-l")
    return [_rule(
        "isal",
        hdrs = "glob([\"isal/isa-l/*.h\"])",
        includes = ["isal"],
        linkopts = ["-lisal"],
    )]

def _torch(ctx, dirs):
    """LibTorch: $LIBTORCH (an unpacked LibTorch, or the `torch` folder of a
    Python install), or Debian's libtorch-dev."""
    home = ctx.os.environ.get("LIBTORCH", "")
    hdrs, includes = "[]", []
    if home:
        include, folder = home + "/include", home + "/lib"
        if not ctx.path(include + "/torch/csrc/jit/ir/ir.h").exists:
            fail("\n\nLIBTORCH=%s has no include/torch/csrc/jit/ir/ir.h; name an unpacked LibTorch or the torch folder of a Python install, or unset it to use Debian's libtorch-dev\n" % home)
        ctx.symlink(include, "torch")
        hdrs = "glob([\"torch/**/*.h\", \"torch/**/*.hpp\"])"
        includes = ["torch", "torch/torch/csrc/api/include"]
    else:
        include = "/usr/include"
        if not ctx.path(include + "/torch/csrc/jit/ir/ir.h").exists:
            _missing("LibTorch", "libtorch-dev")
        folder = _find(ctx, dirs, "libtorch_cpu.so")
        if not folder:
            _missing("library libtorch_cpu.so", "libtorch-dev")
    return [_rule(
        "torch",
        hdrs = hdrs,
        includes = includes,
        linkopts = [
            "-L" + folder,
            "-Wl,-rpath," + folder,
            "-ltorch_cpu",
            "-ltorch",
            "-lc10",
        ],
    )]

def _system_repository(ctx):
    dirs = _library_dirs(ctx)
    rules = ["package(default_visibility = [\"//visibility:public\"])\n"]
    rules += _simple_libraries(ctx, dirs)
    rules += _llvm(ctx, dirs)
    rules += _isal(ctx, dirs)
    rules += _torch(ctx, dirs)
    ctx.file("BUILD", "".join(rules))

system_repository = repository_rule(
    implementation = _system_repository,
    doc = "cc_library targets for the libraries installed on this machine. " +
          "A missing one is an error that names the package to install.",
    environ = ["LIBTORCH"],
    local = True,
)
