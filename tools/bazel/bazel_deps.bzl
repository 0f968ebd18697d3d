"""Local stand-ins for repositories that Bazel 4.2.3 would download."""

_RULES_CC_DEFS = """\
cc_binary = native.cc_binary
cc_import = native.cc_import
cc_library = native.cc_library
cc_proto_library = native.cc_proto_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
fdo_prefetch_hints = native.fdo_prefetch_hints
fdo_profile = native.fdo_profile
objc_import = native.objc_import
objc_library = native.objc_library
"""

def _native_rules_cc(ctx):
    ctx.file("BUILD", "")
    ctx.file("cc/BUILD", "exports_files([\"defs.bzl\"])\n")
    ctx.file("cc/defs.bzl", _RULES_CC_DEFS)

native_rules_cc = repository_rule(
    implementation = _native_rules_cc,
    doc = "A @rules_cc that re-exports Bazel's native rules: Debian's own " +
          "rules_cc 0.0.4 needs a newer Bazel.",
)

def _no_remote_coverage(ctx):
    ctx.file("BUILD", """\
package(default_visibility = ["//visibility:public"])

filegroup(name = "coverage_report_generator")

filegroup(name = "lcov_merger")
""")

no_remote_coverage = repository_rule(
    implementation = _no_remote_coverage,
    doc = "Empty coverage tools: every test rule names them, none runs them.",
)
