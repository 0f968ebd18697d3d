"""The files that targets are compiled from, as text, for comparing with those of
another build."""

_Sources = provider(fields = ["lines"])

def _sources_aspect_impl(target, ctx):
    lines = []
    if target.label.workspace_name == "":
        flags = [flag for flag in getattr(ctx.rule.attr, "copts", []) if flag.startswith("-m")]
        for name in ["srcs", "hdrs", "textual_hdrs"]:
            for label in getattr(ctx.rule.attr, name, []):
                for file in label.files.to_list():
                    if not file.is_source:
                        continue
                    of_source = flags if file.extension == "cc" else []
                    lines.append(" ".join([file.short_path] + of_source))
    return [_Sources(lines = depset(lines, transitive = [
        dep[_Sources].lines
        for dep in getattr(ctx.rule.attr, "deps", [])
        if _Sources in dep
    ]))]

_sources_aspect = aspect(
    implementation = _sources_aspect_impl,
    attr_aspects = ["deps"],
)

def _source_list_impl(ctx):
    lines = depset(transitive = [dep[_Sources].lines for dep in ctx.attr.deps])
    out = ctx.actions.declare_file(ctx.label.name + ".txt")
    ctx.actions.write(out, "".join([line + "\n" for line in sorted(lines.to_list())]))
    return [DefaultInfo(
        files = depset([out]),
        runfiles = ctx.runfiles([out]),
    )]

source_list = rule(
    implementation = _source_list_impl,
    doc = "NAME.txt: a line for each source and header of `deps`, and of all " +
          "that these use, that is in this workspace and not generated: its " +
          "path, and the flags (-m...) for an instruction set.",
    attrs = {"deps": attr.label_list(aspects = [_sources_aspect])},
)
