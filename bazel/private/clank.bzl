"""`clank_library`, `clank_binary` and `clank_test`."""

load(":actions.bzl", "check", "output_groups", "run", "workspace_path")
load(":check.bzl", "CONFIG", "SETTINGS", "config_of", "regreen_of", "runfiles_path", "shell_word", "strict_flags")

ClankInfo = provider(
    doc = "Clank modules.",
    fields = {
        "generated": "File: the folder of the generated code, with that of everything imported.",
        "sources": "depset of File: the modules and all that they may import.",
    },
)

def _compile(ctx, sources, valid):
    """Declares the action that compiles what is valid, and returns the folder of the generated code."""
    generated = ctx.actions.declare_directory(ctx.label.name + ".generated")
    config = config_of(ctx)
    args = ctx.actions.args()
    args.add("build")
    args.add_all(ctx.files.srcs, map_each = workspace_path)
    if config.root:
        args.add("--root", config.root)
    args.add("--target", ctx.attr.language)
    args.add("--source-maps")
    args.add("--quiet")

    # With `add_all` the folder would be replaced by what is in it.
    args.add(generated.path, format = "--out-dir=%s")
    run(
        ctx,
        regreen_of(ctx),
        args,
        reported = sources,
        # What is not valid is not compiled: one message says what is wrong and how to fix it.
        context = depset([valid], transitive = [config.files]),
        outputs = [generated],
        mnemonic = "ClankCompile",
        progress_message = "Compiling %s" % ctx.label,
    )
    return generated

def _look(ctx):
    """What all Clank rules do: compile, and check."""
    imported = depset(transitive = [it[ClankInfo].sources for it in ctx.attr.deps])
    sources = depset(ctx.files.srcs, transitive = [imported])
    info, valid = check(
        ctx,
        name = ctx.label.name,
        label = ctx.label,
        regreen = regreen_of(ctx),
        config = config_of(ctx),
        srcs = ctx.files.srcs,
        context = imported,
        flags = strict_flags(ctx, ctx.attr.strict),
    )
    generated = _compile(ctx, sources, valid)
    groups = dict(output_groups(info, valid), clank_generated = depset([generated]))
    return struct(
        generated = generated,
        sources = sources,
        providers = [
            OutputGroupInfo(**groups),
            ClankInfo(generated = generated, sources = sources),
            info,
        ],
    )

def _clank_library_impl(ctx):
    looked = _look(ctx)
    return [DefaultInfo(files = depset([looked.generated]))] + looked.providers

_ATTRIBUTES = dict(
    SETTINGS,
    deps = attr.label_list(doc = "The `clank_library` targets that are imported.", providers = [ClankInfo]),
    language = attr.string(doc = "What to compile to.", default = "js", values = ["js", "ts"]),
    srcs = attr.label_list(doc = "The modules.", allow_files = [".clank"], mandatory = True),
    strict = attr.int(
        doc = "1 to fail if a source is not canonical, 0 not to, -1 for what the setting says.",
        default = -1,
        values = [-1, 0, 1],
    ),
    **CONFIG
)

clank_library = rule(
    doc = """Compiles Clank modules to JavaScript or TypeScript.

Sources are put into canonical form in memory, so that one that is not canonical compiles to the same code. They are never
written; `regreen_fix` does that.""",
    implementation = _clank_library_impl,
    attrs = _ATTRIBUTES,
)

_RUN = """\
#!/usr/bin/env bash
set -euo pipefail
runfiles=${RUNFILES_DIR:-${TEST_SRCDIR:-$0.runfiles}}
[ -d "$runfiles/%{workspace}" ] && cd "$runfiles/%{workspace}"
# The program runs on what was built, wherever it is started.
unset BUILD_WORKSPACE_DIRECTORY BUILD_WORKING_DIRECTORY
exec ../%{program} run --inputs %{list} %{flags} %{main}
"""

def _in_runfiles(file):
    return workspace_path(file) + "\t" + file.short_path

def _clank_program_impl(ctx):
    looked = _look(ctx)
    main = ctx.file.main
    if not main:
        if len(ctx.files.srcs) != 1:
            fail("`main` says which of the %d modules is the program" % len(ctx.files.srcs))
        main = ctx.files.srcs[0]
    config = config_of(ctx)
    regreen = regreen_of(ctx)
    inputs = ctx.actions.declare_file(ctx.label.name + ".inputs")
    args = ctx.actions.args()
    args.set_param_file_format("multiline")
    args.add_all(depset(transitive = [looked.sources, config.files]), map_each = _in_runfiles)
    ctx.actions.write(inputs, args)
    flags = strict_flags(ctx, ctx.attr.strict) + ["--quiet"]
    if config.root:
        flags += ["--root", config.root]
    if ctx.attr.timeout_seconds:
        flags += ["--timeout", str(ctx.attr.timeout_seconds)]
    script = _RUN
    for (name, value) in {
        "flags": " ".join([shell_word(it) for it in flags]),
        "list": shell_word(inputs.short_path),
        "main": shell_word(workspace_path(main)),
        "program": shell_word(runfiles_path(ctx, regreen)),
        "workspace": ctx.workspace_name,
    }.items():
        script = script.replace("%{" + name + "}", value)
    executable = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(executable, script, is_executable = True)
    runfiles = ctx.runfiles(
        files = [regreen, inputs],
        transitive_files = depset(transitive = [looked.sources, config.files]),
    )
    default = DefaultInfo(
        executable = executable,
        files = depset([executable, looked.generated]),
        runfiles = runfiles,
    )
    return [default] + looked.providers

_PROGRAM_ATTRIBUTES = dict(
    _ATTRIBUTES,
    main = attr.label(
        doc = "The module with `main`; not needed if there is one source.",
        allow_single_file = [".clank"],
    ),
    timeout_seconds = attr.int(doc = "Stop the program after this time; 0 for the default of `regreen run`."),
)

clank_binary = rule(
    doc = "A Clank program, which `bazel run` runs on the engine that is part of regreen.",
    implementation = _clank_program_impl,
    attrs = _PROGRAM_ATTRIBUTES,
    executable = True,
)

clank_test = rule(
    doc = "A Clank program as a test: it passes if the program ends without a panic and without an error.",
    implementation = _clank_program_impl,
    attrs = _PROGRAM_ATTRIBUTES,
    test = True,
)
