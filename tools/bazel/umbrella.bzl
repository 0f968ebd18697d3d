"""Whole folders as one target, for other projects."""

# What hosts put before the path of a header of ours.
PREFIX = "nspasses"

# Renames what could mean a host's own file: `#include "ir/graph/pass.h"`, and the
# guard IR_PASS_H_ that a host's ir/graph/pass.h has as well. As in
# tools/cmake/prefix_headers.cmake.
_COPY = """
while IFS=' ' read -r from to; do
  sed -E \\
    -e 's,^#include "((ir|passes|ns|tests)/),#include "{prefix}/\\1,' \\
    -e 's,^#(ifndef|define) ((IR|PASSES|NS|TESTS)_[A-Z0-9_]*_H_)$,#\\1 {guard}_\\2,' \\
    "$from" >"$to"
done <"$1"
""".format(prefix = PREFIX, guard = PREFIX.upper())

_USED_BY_HEADERS = ["@system//:" + name for name in [
    "absl_algorithm",
    "absl_base",
    "absl_containers",
    "absl_status",
    "absl_strings",
    "llvm",
    "torch",
]]

def _own_headers(ctx, deps):
    """The headers of `deps`, and of all that these use, that are of this
    workspace and not of the machine."""
    return [
        header
        for dep in deps
        for header in dep[CcInfo].compilation_context.headers.to_list()
        if header.is_source and header.extension == "h" and
           header.owner.workspace_name == ctx.label.workspace_name
    ]

def _umbrella_header_files_impl(ctx):
    below = {header: True for dep in ctx.attr.below for header in dep[DefaultInfo].files.to_list()}
    headers = {header: True for header in _own_headers(ctx, ctx.attr.deps) if header not in below}.keys()
    copies = [
        ctx.actions.declare_file("prefixed/%s/%s/%s" % (PREFIX, header.owner.package, header.owner.name))
        for header in headers
    ]
    pairs = ctx.actions.declare_file(ctx.label.name + ".txt")
    ctx.actions.write(pairs, "".join([
        "%s %s\n" % (header.path, copy.path)
        for header, copy in zip(headers, copies)
    ]))
    ctx.actions.run_shell(
        inputs = headers + [pairs],
        outputs = copies,
        command = _COPY,
        arguments = [pairs.path],
        mnemonic = "PrefixHeaders",
    )
    return [DefaultInfo(
        files = depset(headers + copies),
        runfiles = ctx.runfiles(copies),
    )]

_umbrella_header_files = rule(
    implementation = _umbrella_header_files_impl,
    attrs = {
        "below": attr.label_list(),
        "deps": attr.label_list(providers = [CcInfo]),
    },
)

def test_umbrella(name, deps, below):
    """A cc_library of helpers for tests, which links only what they use.

    Args:
      name: what tests of hosts depend on.
      deps: the helpers.
      below: umbrellas whose headers are left to them, and to their _headers.
    """
    files = name + "_header_files"
    _umbrella_header_files(
        name = files,
        testonly = True,
        below = [label + "_header_files" for label in below],
        deps = deps,
        visibility = ["//tests/tools:__pkg__"],
    )
    native.cc_library(
        name = name,
        testonly = True,
        hdrs = [files],
        includes = ["prefixed"],
        deps = deps + ["@system//:gtest"] +
               [label + "_headers" for label in below],
    )

def umbrella(name, deps, below = []):
    """A cc_library that stands for `deps` and all that they use.

    Beside it, NAME_headers has the headers alone, for hosts that link single
    libraries: all of //:passes takes minutes to compile.

    Its headers have two names: "ir/graph/pass.h", as we write them, and, for hosts
    that have folders named like ours, "nspasses/ir/pass.h". A host writes all
    of them one way: in one source, the two are two definitions of one class.

    Args:
      name: what hosts depend on.
      deps: groups of the folder's libraries (cc_library_group in cc.bzl).
      below: umbrellas whose headers are left to them. layering_check wants a
        host that includes those to name that umbrella too.
    """
    files = name + "_header_files"
    _umbrella_header_files(
        name = files,
        below = [label + "_header_files" for label in below],
        deps = deps,
        visibility = ["//tests/tools:__pkg__"],
    )
    native.cc_library(
        name = name + "_headers",
        hdrs = [files],
        includes = ["prefixed"],
        deps = [label + "_headers" for label in below] + _USED_BY_HEADERS,
    )
    native.cc_library(
        name = name,
        hdrs = [files],
        includes = ["prefixed"],
        deps = deps + below,
    )
