//! The schema of `regreen.toml`, for editors and for people.
//!
//! The file is read by hand where requests are served, so that every problem has its place; here is only what others
//! need to know of its shape.

use schemars::{Schema, json_schema};
use serde_json::json;

/// The schema of `regreen.toml`.
pub(super) fn schema() -> Schema {
    let globs = json!({"type": "array", "items": {"type": "string", "minLength": 1}});
    let command = json!({"type": "array", "minItems": 1, "items": {"type": "string"}});
    let time = json!({"type": "string", "pattern": "^[1-9][0-9]{0,6}(ms|s|m)$"});
    let safety = json!({"enum": ["behavior_preserving", "likely_preserving", "behavior_changing"]});
    json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "regreen.toml",
        "description": "What a workspace has decided; all of it is optional",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "workspace": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "include": {"description": "the files to look at, as globs relative to the root; all if there is none", "allOf": [globs]},
                    "exclude": {"description": "the files to pass over, as globs relative to the root", "allOf": [globs]},
                    "max_file_size": {"type": "integer", "minimum": 1, "maximum": u32::MAX, "default": 67_108_864, "description": "files with more bytes than this are not read"},
                    "baseline": {"type": "string", "minLength": 1, "default": "regreen-baseline.json", "description": "the file of the findings that were there before"}
                }
            },
            "fix": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "safety": {"enum": ["behavior_preserving", "likely_preserving"], "default": "likely_preserving", "description": "the widest safety that `fix` applies by itself"},
                    "max_passes": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 10, "description": "how many rounds of repairs `fix` makes at most"},
                    "budget": {"type": "string", "pattern": "^[1-9][0-9]{0,6}(ms|s|m)$", "default": "10m", "description": "how long `fix` tries repairs at most, as in \"60s\"; what was not tried by then is reported"},
                    "formatter": {"type": "boolean", "default": true, "description": "whether a layout that is not canonical is found, and `fix` changes it"}
                }
            },
            "rules": {
                "type": "object",
                "additionalProperties": {"enum": ["off", "info", "warning", "error"]},
                "description": "how bad a rule is here, by its id; rules about policy are off unless they are named"
            },
            "pack": {
                "type": "array",
                "description": "the packs to use; the built-in ones if none is named",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "properties": {
                        "path": {"type": "string", "minLength": 1, "description": "a folder relative to the root"},
                        "builtin": {"type": "string", "description": "the name of a built-in pack"},
                        "required": {"type": "boolean", "default": true, "description": "whether a pack that cannot be loaded fails the run"}
                    },
                    "oneOf": [{"required": ["path"]}, {"required": ["builtin"]}]
                }
            },
            "schema": {
                "type": "array",
                "description": "the schemas of files that do not name theirs; the first that fits a file counts",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["files"],
                    "properties": {
                        "files": {"description": "the files, as globs relative to the root; one after `!` takes files out", "allOf": [globs]},
                        "where": {"type": "object", "minProperties": 1, "description": "what the document says: JSON pointers, and the value or one of the values that is there", "propertyNames": {"pattern": "^/"}, "additionalProperties": {"anyOf": [{"type": ["string", "number", "boolean"]}, {"type": "array", "minItems": 1, "items": {"type": ["string", "number", "boolean"]}}]}},
                        "path": {"type": "string", "minLength": 1, "description": "the schema, relative to the root"},
                        "url": {"type": "string", "pattern": "^https?://", "description": "the address of the schema; `regreen schemas update` takes it once the repository is trusted"}
                    },
                    "oneOf": [{"required": ["path"]}, {"required": ["url"]}]
                }
            },
            "schemas": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "catalogue": {"type": "string", "pattern": "^https?://", "description": "where `regreen schemas update` takes the catalogue from, once the repository is trusted; the public one by default"}
                }
            },
            "linters": {
                "type": "object",
                "description": "what to do with a tool that regreen knows, by its name; a tool with a table takes part",
                "additionalProperties": {
                    "type": "object",
                    "additionalProperties": false,
                    "properties": {
                        "enabled": {"type": "boolean", "default": true, "description": "whether it takes part"},
                        "command": {"description": "the program and its first arguments, if not the tool's own; needs `regreen trust`", "allOf": [command]},
                        "args": {"type": "array", "items": {"type": "string"}, "description": "more arguments; need `regreen trust`"},
                        "timeout": {"description": "how long it may take", "allOf": [time]},
                        "required": {"type": "boolean", "default": true, "description": "whether the run fails without it; a tool that takes part without a table is not required"},
                        "safety": {"description": "the least that its fixes may do to the meaning, for all rules or by rule", "anyOf": [safety, {"type": "object", "additionalProperties": safety}]}
                    }
                }
            },
            "source": {
                "type": "array",
                "description": "tools of one's own; each needs `regreen trust`",
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["name", "command", "format"],
                    "properties": {
                        "name": {"type": "string", "pattern": "^[a-z0-9_-]{1,40}$", "description": "the source of its findings"},
                        "command": {"description": "the program and its arguments; it runs in the root", "allOf": [command]},
                        "format": {"enum": ["sarif", "rdjson", "regreen", "diff", "rewrites"], "description": "what it prints, or that it rewrites files"},
                        "files": {"description": "the files that it is about; all if there is none", "allOf": [globs]},
                        "safety": {"description": "what its fixes may do to the meaning, where it does not say so itself", "allOf": [safety]},
                        "timeout": {"description": "how long it may take", "allOf": [time]},
                        "required": {"type": "boolean", "default": true, "description": "whether the run fails without it"}
                    }
                }
            },
            "tools": {
                "type": "object",
                "description": "the programs that carry out proposals, by name; `regreen` is built in",
                "propertyNames": {"not": {"const": "regreen"}},
                "additionalProperties": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["command"],
                    "properties": {
                        "command": {"type": "array", "minItems": 1, "items": {"type": "string"}, "description": "the program and its arguments; {id}, {goal}, {message} and {paths} are replaced"},
                        "network": {"type": "boolean", "default": false, "description": "whether it may use the network"},
                        "environment": {"type": "array", "items": {"type": "string"}, "description": "the variables of the environment that it gets to see"},
                        "readable": {"type": "array", "items": {"type": "string"}, "description": "files and folders outside the workspace that it may read"},
                        "timeout": {"type": "integer", "minimum": 1, "maximum": 86400, "default": 600, "description": "seconds that it may run"},
                        "memory": {"type": "integer", "minimum": 1, "maximum": 1_048_576, "default": 4096, "description": "megabytes that each of its processes may use"},
                        "disk": {"type": "integer", "minimum": 1, "maximum": 1_048_576, "default": 1024, "description": "megabytes that it may write"}
                    }
                }
            },
            "govern": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "registry": {"type": "string", "pattern": "^(sqlite:[^/].*|postgres(ql)?://.+)$", "description": "where records are kept: sqlite: and a path in the state folder of the workspace, outside the work tree, or a PostgreSQL server, which needs `regreen trust`; by default registry.db in the state folder"},
                    "allowed_signers": {"type": "string", "minLength": 1, "default": "allowed_signers", "description": "the file of the keys that may approve, in the format of OpenSSH"},
                    "approval_days": {"type": "integer", "minimum": 1, "maximum": 3650, "default": 30, "description": "for how many days an approval counts"},
                    "owners": {"type": "array", "description": "who must approve what could touch which paths", "items": {
                        "type": "object", "additionalProperties": false, "required": ["paths"], "properties": {
                            "paths": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "globs"},
                            "keys": {"type": "array", "items": {"type": "string"}, "description": "names or fingerprints; anybody who may approve, if left out"},
                            "approvals": {"type": "integer", "minimum": 1, "maximum": 100, "default": 1}
                        }
                    }},
                    "project": {"type": "string", "description": "the project that proposals of this repository must name"},
                    "require_plan": {"type": "boolean", "default": false, "description": "whether only proposals that were planned may be approved"},
                    "allow_unsigned": {"type": "boolean", "default": false, "description": "whether an approval that is typed and not signed counts where keys may sign"},
                    "require_signature": {"type": "boolean", "default": false, "description": "whether an approval without a signature is refused"},
                    "require_approval": {"type": "boolean", "default": false, "description": "whether repairs that may change behavior are applied only by an approved proposal"},
                    "protected": {"description": "what needs a second key; by default the files of continuous integration", "allOf": [globs]}
                }
            },
            "clank": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "roots": {"type": "array", "items": {"type": "string", "minLength": 1}, "description": "the folders that `use a.b` starts from, relative to the root; without them every file looks around itself"},
                    "strict": {"type": "boolean", "default": false, "description": "whether `build` and `run` fail if a source is not canonical"},
                    "runtime": {"enum": ["embedded"], "default": "embedded", "description": "what `run` runs programs on; Node is asked for each time, with `--runtime node`"},
                    "solver": {"enum": ["own", "z3"], "default": "own", "description": "who proves goals: `own` is part of regreen and says the same everywhere; `z3` also asks an installed Z3 about what stays open"}
                }
            }
        }
    })
}
