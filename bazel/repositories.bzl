"""Where regreen comes from: a program that is installed, or an archive of a release.

Both make a repository with the program as a file and a toolchain `@NAME//:toolchain`. The program's bytes are an input of
every action, so another regreen checks everything again and the same one nothing.
"""

_BUILD = """\
load("@{rules}//:toolchain.bzl", "regreen_toolchain")

package(default_visibility = ["//visibility:public"])

exports_files(["bin/regreen"])

regreen_toolchain(
    name = "regreen",
    regreen = "bin/regreen",
)

toolchain(
    name = "toolchain",
    toolchain = ":regreen",
    toolchain_type = "@{rules}//:toolchain_type",
)
"""

def _write_build(repository_ctx):
    # Under bzlmod the label has the canonical name of the rules, which needs a second `@`.
    label = str(repository_ctx.attr._rules)
    rules = label.split("//")[0].lstrip("@") or "rules_regreen"
    if label.startswith("@@"):
        rules = "@" + rules
    repository_ctx.file("BUILD.bazel", _BUILD.replace("{rules}", rules))
    repository_ctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % repository_ctx.name)

def _regreen_local_impl(repository_ctx):
    path = repository_ctx.attr.path
    if "/" not in path:
        found = repository_ctx.which(path)
        if found == None:
            fail("%s is not on the PATH; name the program with its folder" % path)
        path = str(found)
    program = repository_ctx.path(path)
    if not program.exists:
        fail("there is no program %s" % path)
    repository_ctx.symlink(program, "bin/regreen")
    _write_build(repository_ctx)

regreen_local = repository_rule(
    doc = "The regreen that is installed. Another program at the path is noticed by its bytes.",
    implementation = _regreen_local_impl,
    attrs = {
        "path": attr.string(
            doc = "The program; without a slash it is looked for on the PATH.",
            default = "regreen",
        ),
        "_rules": attr.label(default = Label("//:BUILD.bazel")),
    },
    environ = ["PATH"],
    local = True,
)

def _regreen_archive_impl(repository_ctx):
    repository_ctx.download_and_extract(
        url = repository_ctx.attr.urls,
        output = "archive",
        sha256 = repository_ctx.attr.sha256,
        stripPrefix = repository_ctx.attr.strip_prefix,
    )
    for place in ["archive/bin/regreen", "archive/regreen"]:
        if repository_ctx.path(place).exists:
            repository_ctx.symlink(place, "bin/regreen")
            _write_build(repository_ctx)
            return
    fail("the archive has neither bin/regreen nor regreen")

regreen_archive = repository_rule(
    doc = "The regreen of a release archive, bound to its checksum.",
    implementation = _regreen_archive_impl,
    attrs = {
        "sha256": attr.string(doc = "The checksum of the archive.", mandatory = True),
        "strip_prefix": attr.string(doc = "The folder in the archive."),
        "urls": attr.string_list(doc = "Where the archive is.", mandatory = True),
        "_rules": attr.label(default = Label("//:BUILD.bazel")),
    },
)
