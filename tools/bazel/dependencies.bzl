"""What a workspace needs that builds targets of this one."""

load(":bazel_deps.bzl", "native_rules_cc", "no_remote_coverage")
load(":system.bzl", "system_repository")

def ns_dependencies():
    """The libraries of this machine, as @system, and what Debian's Bazel 4.2.3
    looks for by fixed names on its own account. Nothing is downloaded. A
    repository that the workspace has already stays."""
    for name, rule in {
        "remote_coverage_tools": no_remote_coverage,
        "rules_cc": native_rules_cc,
        "system": system_repository,
    }.items():
        if not native.existing_rule(name):
            rule(name = name)
    for name, path in {
        "bazel_skylib": "/usr/share/bazel/tools/skylib",
        "platforms": "/usr/share/bazel/tools/platforms",
        "rules_java": "/usr/share/bazel/rules/java",
    }.items():
        if not native.existing_rule(name):
            native.local_repository(name = name, path = path)
