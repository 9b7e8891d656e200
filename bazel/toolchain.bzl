"""Which regreen the actions run.

The program is a file, so that its bytes are part of the key of every action. `--@rules_regreen//:regreen=LABEL` chooses it;
the default is `@regreen//:regreen`, which `repositories.bzl` makes. A build for several kinds of machines registers a
toolchain for each and says `--@rules_regreen//:regreen=@rules_regreen//:resolved`.
"""

# With the name of this repository: Bazel 4 takes a plain label for one of the workspace that is built.
_TOOLCHAIN_TYPE = str(Label("//:toolchain_type"))

RegreenToolInfo = provider(
    doc = "A regreen that actions run.",
    fields = {"regreen": "File: the program."},
)

def _regreen_toolchain_impl(ctx):
    return [
        DefaultInfo(files = depset([ctx.file.regreen])),
        RegreenToolInfo(regreen = ctx.file.regreen),
        platform_common.ToolchainInfo(regreen = ctx.file.regreen),
    ]

regreen_toolchain = rule(
    doc = "A program, to be named by the setting or to be registered as a toolchain.",
    implementation = _regreen_toolchain_impl,
    attrs = {
        "regreen": attr.label(
            doc = "The program.",
            allow_single_file = True,
            mandatory = True,
        ),
    },
)

def _resolved_toolchain_impl(ctx):
    regreen = ctx.toolchains[_TOOLCHAIN_TYPE].regreen
    return [DefaultInfo(files = depset([regreen])), RegreenToolInfo(regreen = regreen)]

resolved_toolchain = rule(
    doc = "The program of the toolchain that is registered for the platform.",
    implementation = _resolved_toolchain_impl,
    toolchains = [_TOOLCHAIN_TYPE],
)
