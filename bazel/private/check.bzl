"""`regreen_check`, `regreen_test`, `regreen_fix` and the aspect."""

load("//:settings.bzl", "RegreenConfigInfo", "StrictInfo", "TIERS", "TiersInfo", "WorkerInfo")
load("//:toolchain.bzl", "RegreenToolInfo")
load(":actions.bzl", "EXTENSIONS", "RegreenInfo", "apply_command", "check", "output_groups")

SETTINGS = {
    "_default_config": attr.label(default = Label("//:config"), providers = [RegreenConfigInfo]),
    "_regreen": attr.label(default = Label("//:regreen"), providers = [RegreenToolInfo]),
    "_strict": attr.label(default = Label("//:strict"), providers = [StrictInfo]),
    "_tiers": attr.label(default = Label("//:tiers"), providers = [TiersInfo]),
    "_worker": attr.label(default = Label("//:worker"), providers = [WorkerInfo]),
}

CONFIG = {
    "config": attr.label(
        doc = "The configuration, a `regreen_config`; the one of `--@rules_regreen//:config` if none is named.",
        providers = [RegreenConfigInfo],
    ),
}

def config_of(ctx):
    """The configuration of a rule."""
    target = ctx.attr.config if ctx.attr.config else ctx.attr._default_config
    return target[RegreenConfigInfo]

def regreen_of(ctx):
    """The program."""
    return ctx.attr._regreen[RegreenToolInfo].regreen

def strict_flags(ctx, strict = 0):
    """`--strict` if the target or the setting says so."""
    is_strict = ctx.attr._strict[StrictInfo].is_strict if strict == -1 else strict == 1
    return ["--strict"] if is_strict else []

def tier_flags(ctx, tiers = []):
    """`--tier` for the tiers of the target, or of the setting."""
    return ["--tier=" + it for it in tiers or ctx.attr._tiers[TiersInfo].tiers]

def _regreen_check_impl(ctx):
    flags = strict_flags(ctx, ctx.attr.strict) + tier_flags(ctx, ctx.attr.tiers)
    info, valid = check(
        ctx,
        name = ctx.label.name,
        label = ctx.label,
        regreen = regreen_of(ctx),
        config = config_of(ctx),
        srcs = ctx.files.srcs,
        context = depset(ctx.files.data),
        flags = flags + ctx.attr.flags,
    )
    return [
        # A build of the target fails if something is wrong, also where validation actions are not run.
        DefaultInfo(files = depset([valid])),
        OutputGroupInfo(**output_groups(info, valid)),
        info,
    ]

regreen_check = rule(
    doc = """Checks files. A build fails with what is wrong and the command that fixes it.

The output groups `regreen_fix` (an edits document and a diff) and `regreen_report` (JSON, SARIF and text) are there
whether or not something is wrong.""",
    implementation = _regreen_check_impl,
    attrs = dict(
        SETTINGS,
        data = attr.label_list(doc = "What is read and not reported on, such as schemas.", allow_files = True),
        flags = attr.string_list(doc = "More flags of `regreen check`, such as `--deny-warnings`."),
        srcs = attr.label_list(doc = "What is checked.", allow_files = True, mandatory = True),
        strict = attr.int(
            doc = "1 to fail also on everything that `regreen fix` would change, 0 not to, -1 for what the setting says.",
            default = -1,
            values = [-1, 0, 1],
        ),
        tiers = attr.string_list(
            doc = "Only rules of these tiers (%s). Rules across files belong in one target with all the files." % ", ".join(TIERS),
        ),
        **CONFIG
    ),
)

_TEST = """\
#!/usr/bin/env bash
set -euo pipefail
worst=0
report() {
  local code
  code=$(cat "$1")
  cat "$2"
  if [ "$code" != 0 ]; then echo "To fix what can be fixed: $3"; worst=$code; fi
}
"""

def _regreen_test_impl(ctx):
    script = _TEST
    files = []
    for target in ctx.attr.checks:
        info = target[RegreenInfo]
        files += [info.exit_code, info.text]
        root = config_of(ctx).root
        script += "report '%s' '%s' '%s'\n" % (info.exit_code.short_path, info.text.short_path, apply_command(info, root))
    executable = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(executable, script + "exit $worst\n", is_executable = True)
    return [DefaultInfo(executable = executable, runfiles = ctx.runfiles(files = files))]

regreen_test = rule(
    doc = "A test that passes if nothing is wrong in what `regreen_check` targets looked at.",
    implementation = _regreen_test_impl,
    attrs = dict(
        SETTINGS,
        checks = attr.label_list(
            doc = "`regreen_check` targets, or Clank targets.",
            mandatory = True,
            providers = [RegreenInfo],
        ),
        **CONFIG
    ),
    test = True,
)

_FIX = """\
#!/usr/bin/env bash
set -euo pipefail
: "${BUILD_WORKSPACE_DIRECTORY:?this program writes sources: start it with bazel run}"
runfiles=${RUNFILES_DIR:-$0.runfiles}
case $runfiles in /*) ;; *) runfiles=$PWD/$runfiles ;; esac
program=$runfiles/%{program}
[ -x "$program" ] || program=$PWD/%{short}
cd "$BUILD_WORKSPACE_DIRECTORY"
export BUILD_WORKING_DIRECTORY=$BUILD_WORKSPACE_DIRECTORY
exec "$program" fix --root "$BUILD_WORKSPACE_DIRECTORY%{root}" "$@" %{paths}
"""

def shell_word(text):
    """The text as one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"

def runfiles_path(ctx, file):
    """The path of a file in the runfiles."""
    path = file.short_path
    return path[3:] if path.startswith("../") else ctx.workspace_name + "/" + path

def _regreen_fix_impl(ctx):
    regreen = regreen_of(ctx)
    executable = ctx.actions.declare_file(ctx.label.name + ".sh")
    sources = [it.short_path for it in ctx.files.srcs if it.is_source and not it.short_path.startswith("../")]
    script = _FIX
    for (name, value) in {
        "paths": " ".join([shell_word(it) for it in sources]),
        "program": runfiles_path(ctx, regreen),
        "root": "/" + config_of(ctx).root if config_of(ctx).root else "",
        "short": regreen.short_path,
    }.items():
        script = script.replace("%{" + name + "}", value)
    ctx.actions.write(executable, script, is_executable = True)
    return [DefaultInfo(executable = executable, runfiles = ctx.runfiles(files = [regreen]))]

regreen_fix = rule(
    doc = "`bazel run` of it fixes sources in the workspace, as `regreen fix` does; `-- --diff` shows what it would do.",
    implementation = _regreen_fix_impl,
    attrs = dict(
        SETTINGS,
        srcs = attr.label_list(
            doc = "What may be fixed; the whole workspace if nothing is named.",
            allow_files = True,
        ),
        **CONFIG
    ),
    executable = True,
)

# The attributes by which rules name files that somebody wrote.
_ATTRIBUTES = ["config", "data", "manifest", "resources", "src", "srcs"]

def _is_checked(file):
    is_written = file.is_source and not file.short_path.startswith("../")
    return is_written and file.extension in EXTENSIONS

def _regreen_aspect_impl(target, ctx):
    # A target that is checked anyway needs no second look, and a configuration is not a source of its own.
    if RegreenInfo in target or RegreenConfigInfo in target:
        return []
    files = []
    for name in _ATTRIBUTES:
        files += getattr(ctx.rule.files, name, [])
    srcs = [it for it in depset(files).to_list() if _is_checked(it)]
    if not srcs:
        return []
    others = [it for it in depset(files).to_list() if not _is_checked(it) and it.extension in EXTENSIONS]
    info, valid = check(
        ctx,
        name = target.label.name + ".regreen",
        label = target.label,
        regreen = regreen_of(ctx),
        config = ctx.attr._default_config[RegreenConfigInfo],
        srcs = srcs,
        context = depset(others),
        flags = strict_flags(ctx, -1) + tier_flags(ctx),
    )
    return [OutputGroupInfo(**output_groups(info, valid))]

regreen_aspect = aspect(
    doc = """Checks the documents and Clank sources of every target, whatever rule it is of.

    bazel build //... --aspects=@rules_regreen//:defs.bzl%regreen_aspect --output_groups=+regreen_validation""",
    implementation = _regreen_aspect_impl,
    attr_aspects = ["data", "deps", "srcs"],
    attrs = SETTINGS,
)
