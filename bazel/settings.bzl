"""Build settings, and what a configuration is."""

RegreenConfigInfo = provider(
    doc = "The files that say how a workspace is checked.",
    fields = {
        "files": "depset of File: regreen.toml, packs, schemas, the baseline. They are read and not reported on.",
        "root": "The folder of the workspace that paths start from, or the empty string.",
        "tools": "dict from string to FilesToRunProvider or File: the programs that actions may run, by name.",
    },
)

StrictInfo = provider(
    doc = "The value of the setting `strict`.",
    fields = {"is_strict": "Whether pending fixes fail the build."},
)

def _strict_flag_impl(ctx):
    return [StrictInfo(is_strict = ctx.build_setting_value)]

strict_flag = rule(
    doc = "Whether pending fixes fail the build.",
    implementation = _strict_flag_impl,
    build_setting = config.bool(flag = True),
)

WorkerInfo = provider(
    doc = "The value of the setting `worker`.",
    fields = {"is_worker": "Whether actions may run in a process that stays."},
)

def _worker_flag_impl(ctx):
    return [WorkerInfo(is_worker = ctx.build_setting_value)]

worker_flag = rule(
    doc = "Whether actions may run in a process that stays.",
    implementation = _worker_flag_impl,
    build_setting = config.bool(flag = True),
)

TiersInfo = provider(
    doc = "The value of the setting `tiers`.",
    fields = {"tiers": "list of string: the tiers whose rules are asked; all if it is empty."},
)

TIERS = ["policy", "schema", "semantic"]

def _tiers_flag_impl(ctx):
    for tier in ctx.build_setting_value:
        if tier not in TIERS:
            fail("%s: there is no tier `%s`; there are %s" % (ctx.label, tier, ", ".join(TIERS)))
    return [TiersInfo(tiers = ctx.build_setting_value)]

tiers_flag = rule(
    doc = "The tiers whose rules are asked where a target names none.",
    implementation = _tiers_flag_impl,
    build_setting = config.string_list(flag = True),
)

def _no_config_impl(_ctx):
    return [RegreenConfigInfo(files = depset(), root = "", tools = {})]

no_config = rule(
    doc = "No configuration: documents that name their schema and Clank programs are checked, and nothing else.",
    implementation = _no_config_impl,
)

def _regreen_config_impl(ctx):
    folder = ctx.file.config.short_path.rpartition("/")[0]
    files = depset([ctx.file.config], transitive = [depset(ctx.files.data)])
    tools = {}
    for (target, names) in ctx.attr.tools.items():
        for name in names.split(" "):
            if name in tools:
                fail("%s: two programs are called `%s`" % (ctx.label, name))
            tools[name] = _program(ctx, target)
    return [
        DefaultInfo(files = files),
        RegreenConfigInfo(files = files, root = folder, tools = tools),
    ]

def _program(ctx, target):
    """The program that a target is: one that can be run, or a single file."""
    info = target[DefaultInfo]
    if info.files_to_run and info.files_to_run.executable:
        return info.files_to_run
    files = info.files.to_list()
    if len(files) != 1:
        fail("%s: %s is not one program" % (ctx.label, target.label))
    return files[0]

regreen_config = rule(
    doc = "A regreen.toml with everything that it names. Its folder is the root that paths start from.",
    implementation = _regreen_config_impl,
    attrs = {
        "config": attr.label(
            doc = "The file regreen.toml.",
            allow_single_file = [".toml"],
            mandatory = True,
        ),
        "data": attr.label_list(
            doc = "Packs, schemas, the lock of the schemas, the baseline, settings of tools: what is read and not reported on.",
            allow_files = True,
        ),
        "tools": attr.label_keyed_string_dict(
            doc = "Linters and formatters that actions may run: a program, and the name that it is looked up by (`ruff`). Tools of the workspace that are not named here are not run.",
            allow_files = True,
            cfg = "exec",
        ),
    },
)
