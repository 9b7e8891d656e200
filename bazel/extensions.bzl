"""For MODULE.bazel: where regreen comes from. A WORKSPACE uses `repositories.bzl` itself.

    regreen = use_extension("@rules_regreen//:extensions.bzl", "regreen")
    regreen.local(path = "/usr/local/bin/regreen")
    use_repo(regreen, "regreen")
"""

load("//:repositories.bzl", "regreen_archive", "regreen_local")

_local = tag_class(attrs = {
    "path": attr.string(doc = "The program; without a slash it is looked for on the PATH.", default = "regreen"),
})

_archive = tag_class(attrs = {
    "sha256": attr.string(doc = "The checksum of the archive.", mandatory = True),
    "strip_prefix": attr.string(doc = "The folder in the archive."),
    "urls": attr.string_list(doc = "Where the archive is.", mandatory = True),
})

def _regreen_impl(module_ctx):
    # The root module decides; a module that it depends on does not choose the program of others.
    for module in module_ctx.modules:
        if not module.is_root:
            continue
        chosen = [("local", it) for it in module.tags.local] + [("archive", it) for it in module.tags.archive]
        if len(chosen) > 1:
            fail("regreen: choose one program, with `local` or with `archive`")
        for (kind, tag) in chosen:
            if kind == "local":
                regreen_local(name = "regreen", path = tag.path)
            else:
                regreen_archive(
                    name = "regreen",
                    sha256 = tag.sha256,
                    strip_prefix = tag.strip_prefix,
                    urls = tag.urls,
                )

regreen = module_extension(
    doc = "Makes the repository `regreen` with the program and its toolchain.",
    implementation = _regreen_impl,
    tag_classes = {"archive": _archive, "local": _local},
)
