"""Actions that try to write their sources. No rule of regreen does; these show what would happen."""

def _shell_writer_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".out")
    ctx.actions.run_shell(
        command = "if echo 'written: true' >> \"$1\"; then echo written > \"$2\"; else echo refused > \"$2\"; fi 2>> \"$2\"",
        arguments = [ctx.file.src.path, out.path],
        inputs = [ctx.file.src],
        outputs = [out],
        mnemonic = "ShellWriter",
    )
    return [DefaultInfo(files = depset([out]))]

shell_writer = rule(
    doc = "Appends to its source and says whether it could.",
    implementation = _shell_writer_impl,
    attrs = {"src": attr.label(allow_single_file = True)},
)

def _regreen_writer_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".out")
    ctx.actions.run_shell(
        command = "code=0; \"$1\" fix \"$2\" > \"$3\" 2>&1 || code=$?; echo \"exit code $code\" >> \"$3\"",
        arguments = [ctx.file.regreen.path, ctx.file.src.path, out.path],
        inputs = [ctx.file.src, ctx.file.schema],
        tools = [ctx.file.regreen],
        outputs = [out],
        env = {"REGREEN_ACTION": "1"} if ctx.attr.is_said else {},
        mnemonic = "RegreenWriter",
    )
    return [DefaultInfo(files = depset([out]))]

regreen_writer = rule(
    doc = "Runs `regreen fix` in an action.",
    implementation = _regreen_writer_impl,
    attrs = {
        "is_said": attr.bool(doc = "Whether the action says that it is one.", default = True),
        "regreen": attr.label(allow_single_file = True, default = "@regreen//:bin/regreen"),
        "schema": attr.label(allow_single_file = True),
        "src": attr.label(allow_single_file = True),
    },
)
