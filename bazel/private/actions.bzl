"""The actions that rules and the aspect share.

An action gets the list of its inputs: the path of each in the workspace, and where Bazel put it. regreen reads that and
nothing else, so that it sees the same tree in a sandbox, without one, and on another machine.
"""

load("//:settings.bzl", "WorkerInfo")

RegreenInfo = provider(
    doc = "What regreen found in the sources of a target.",
    fields = {
        "diff": "File: what `regreen fix` would do, as a unified diff.",
        "edits": "File: the same as an edits document, which `regreen apply` takes if the sources are still the same.",
        "exit_code": "File: the exit code of `regreen check`.",
        "label": "The label that the files belong to.",
        "report": "File: the report as JSON.",
        "sarif": "File: the report as SARIF 2.1.0.",
        "text": "File: the report for people.",
    },
)

# Requests are JSON, one after the other.
WORKER = {
    "requires-worker-protocol": "json",
    "supports-workers": "1",
}

# What regreen has rules for.
EXTENSIONS = ["clank", "code-workspace", "json", "jsonc", "toml", "webmanifest", "yaml", "yml"]

def workspace_path(file):
    """The path of a file in the workspace, wherever Bazel put it."""
    path = file.short_path
    return "external/" + path[3:] if path.startswith("../") else path

def _reported(file):
    return "--input-line=" + workspace_path(file) + "\t" + file.path

def _context(file):
    return _reported(file) + "\tcontext"

def run(ctx, regreen, args, reported, context, tools = {}, **kwargs):
    """Declares an action of regreen.

    Args:
      ctx: of a rule or an aspect
      regreen: File, the program
      args: Args, the command and its flags
      reported: depset of File that are reported on
      context: depset of File that are read only
      tools: dict from string to FilesToRunProvider or File, the programs that the action may run
      **kwargs: more of `ctx.actions.run`
    """

    # All arguments are in a file: so many fit into no command line, and a worker is given nothing else.
    args.use_param_file("@%s", use_always = True)
    args.set_param_file_format("multiline")
    args.add_all(reported, map_each = _reported)
    args.add_all(context, map_each = _context)
    for (name, program) in tools.items():
        args.add("--tool", getattr(program, "executable", program), format = name + "=%s")
    is_worker = ctx.attr._worker[WorkerInfo].is_worker
    ctx.actions.run(
        executable = regreen,
        arguments = [args],
        inputs = depset(transitive = [reported, context]),
        tools = tools.values(),
        env = {"REGREEN_ACTION": "1"},
        execution_requirements = WORKER if is_worker else {},
        **kwargs
    )

def check(ctx, name, label, regreen, config, srcs, context, flags = []):
    """Declares the action that looks at the sources and the action that fails if something is wrong.

    Args:
      ctx: of a rule or an aspect
      name: what the outputs are called
      label: the target that messages are about
      regreen: File, the program
      config: RegreenConfigInfo
      srcs: list of File to report on
      context: depset of File to read only
      flags: more flags of `regreen check`

    Returns:
      RegreenInfo, and the File that is there if nothing is wrong.
    """
    info = RegreenInfo(
        label = label,
        diff = ctx.actions.declare_file(name + ".diff"),
        edits = ctx.actions.declare_file(name + ".edits.json"),
        exit_code = ctx.actions.declare_file(name + ".exit_code"),
        report = ctx.actions.declare_file(name + ".report.json"),
        sarif = ctx.actions.declare_file(name + ".sarif"),
        text = ctx.actions.declare_file(name + ".txt"),
    )
    args = ctx.actions.args()
    args.add("check")
    args.add_all(flags)
    if config.root:
        args.add("--root", config.root)
    args.add("--exit-code-file", info.exit_code)
    args.add("--emit", info.diff, format = "diff=%s")
    args.add("--emit", info.edits, format = "edits=%s")
    args.add("--emit", info.report, format = "json=%s")
    args.add("--emit", info.sarif, format = "sarif=%s")
    args.add("--emit", info.text, format = "text=%s")
    args.add("--jobs=1")
    run(
        ctx,
        regreen,
        args,
        reported = depset(srcs),
        context = depset(transitive = [config.files, context]),
        tools = config.tools,
        outputs = [info.diff, info.edits, info.exit_code, info.report, info.sarif, info.text],
        mnemonic = "RegreenCheck",
        progress_message = "Checking %s with regreen" % label,
    )
    valid = ctx.actions.declare_file(name + ".valid")
    fail_if_red(ctx, info, valid, config.root)
    return info, valid

_VALIDATE = """\
code=$(cat "$1")
if [ "$code" = 0 ]; then : > "$3"; exit 0; fi
cat "$2" >&2
if [ -s "$5" ]; then
  echo "To fix what can be fixed in $4, from the top of the workspace:" >&2
  echo "  $6" >&2
fi
exit "$code"
"""

def apply_command(info, root):
    """The command that applies the fixes of a target."""
    command = "regreen apply " + bin_path(info.edits)
    return command + " --root " + root if root else command

def bin_path(file):
    """The path of an output through the link that Bazel makes in the workspace."""
    return "bazel-bin/" + file.short_path if not file.short_path.startswith("../") else file.path

def fail_if_red(ctx, info, valid, root):
    """Declares the action that fails with the findings and the command that fixes them."""
    ctx.actions.run_shell(
        command = _VALIDATE,
        arguments = [
            info.exit_code.path,
            info.text.path,
            valid.path,
            str(info.label),
            info.diff.path,
            apply_command(info, root),
        ],
        inputs = [info.exit_code, info.text, info.diff],
        outputs = [valid],
        mnemonic = "RegreenValidate",
        progress_message = "Validating %s" % info.label,
    )

def output_groups(info, valid):
    """The output groups of a checked target."""
    return {
        "regreen_fix": depset([info.edits, info.diff]),
        "regreen_report": depset([info.report, info.sarif, info.text]),
        "regreen_validation": depset([valid]),
        "_validation": depset([valid]),
    }
