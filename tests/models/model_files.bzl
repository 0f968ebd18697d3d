"""Targets of models that a Python script writes."""

def model_files(name, cases, files, srcs, message):
    """Runs NAME.py, which writes NAME/CASE/FILE.pt for all cases and files.

    Args:
      name: of the target that has all files, and of the script.
      cases: the names of the models.
      files: what is written of each, without ".pt".
      srcs: what the script imports.
      message: shown while it runs.
    """
    script = name + ".py"
    native.genrule(
        name = name,
        srcs = srcs + [script],
        outs = [
            "%s/%s/%s.pt" % (name, case, file)
            for case in cases
            for file in files
        ],
        cmd = "/usr/bin/python3 $(location %s) --out=$(RULEDIR)/%s %s" %
              (script, name, " ".join(cases)),
        message = message,
    )
