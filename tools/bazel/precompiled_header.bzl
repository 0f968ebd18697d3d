"""Headers of this machine's libraries, parsed once for all files that include
them."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _features(ctx, toolchain, without = []):
    return cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features + without,
    )

def _precompiled_header_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = _features(ctx, toolchain, ["layering_check", "module_maps"])
    headers = ctx.actions.declare_file(ctx.label.name + ".pch")

    # Clang takes a precompiled header only where it was made with the options
    # of the file that is compiled: all that .bazelrc and the command line name.
    options = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts
    options = [option for option in options if not option.startswith("-W")]
    options += ctx.attr.copts + [
        # Once here instead of once in each file.
        "-fpch-instantiate-templates",
        # What a cache brings back has times of its own.
        "-Xclang",
        "-fno-pch-timestamp",
    ]
    if cc_common.is_enabled(
        feature_configuration = _features(ctx, toolchain),
        feature_name = "layering_check",
    ):
        # It checks nothing here, but must be as where it does.
        options.append("-fmodules-strict-decluse")
    for header in ctx.attr.headers:
        options += ["-include", header]
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        # The options include what matters. This is read last, may be read twice
        # by its nature, and is where Bazel allows a header to be.
        source_file = "/usr/include/assert.h",
        output_file = headers.path,
        user_compile_flags = options + ["-x", "c++-header"],
        use_pic = True,
    )
    ctx.actions.run(
        mnemonic = "PrecompileHeaders",
        progress_message = "Parsing the headers of LibTorch",
        executable = cc_common.get_tool_for_action(
            feature_configuration = features,
            action_name = "c++-compile",
        ),
        arguments = cc_common.get_memory_inefficient_command_line(
            feature_configuration = features,
            action_name = "c++-compile",
            variables = variables,
        ),
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = "c++-compile",
            variables = variables,
        ),
        inputs = depset(ctx.files.data, transitive = [toolchain.all_files]),
        outputs = [headers],
    )
    return [
        DefaultInfo(files = depset([headers])),
        # A header, so that who depends on it has it at hand.
        CcInfo(compilation_context = cc_common.create_compilation_context(
            headers = depset([headers]),
        )),
    ]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    doc = "The named headers, by their paths on this machine, parsed with the " +
          "options of .bazelrc and the command line; clang only, and for " +
          "position independent code (--force_pic).",
    attrs = {
        "headers": attr.string_list(
            mandatory = True,
            doc = "Absolute paths: sandboxes are gone when it is read.",
        ),
        "copts": attr.string_list(
            doc = "Those of the files that include the headers, too.",
        ),
        "data": attr.label_list(
            allow_files = True,
            doc = "Files that change when the headers do.",
        ),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
