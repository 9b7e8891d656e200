//! Black-box tests of the binary, in temporary folders.
#![expect(clippy::unwrap_used, reason = "tests stop at the first surprise")]

#[path = "it/action_mode.rs"]
mod action_mode;
#[path = "it/apply.rs"]
mod apply;
#[path = "it/check.rs"]
mod check;
#[path = "it/ci_page.rs"]
mod ci_page;
#[path = "it/clank.rs"]
mod clank;
#[path = "it/closed_doors.rs"]
mod closed_doors;
#[path = "it/convert.rs"]
mod convert;
#[path = "it/dds.rs"]
mod dds;
#[path = "it/dds_attacks.rs"]
mod dds_attacks;
#[path = "it/dds_hostile.rs"]
mod dds_hostile;
#[path = "it/dds_meaning.rs"]
mod dds_meaning;
#[path = "it/dds_plan.rs"]
mod dds_plan;
#[cfg(feature = "live")]
#[path = "it/dds_postgres.rs"]
mod dds_postgres;
#[path = "it/dds_races.rs"]
mod dds_races;
#[path = "it/dds_refusals.rs"]
mod dds_refusals;
#[path = "it/dds_run.rs"]
mod dds_run;
#[cfg(target_os = "linux")]
#[path = "it/dds_states.rs"]
mod dds_states;
#[path = "it/dds_travel.rs"]
mod dds_travel;
#[path = "it/determinism.rs"]
mod determinism;
#[path = "it/examples.rs"]
mod examples;
#[path = "it/exchange.rs"]
mod exchange;
#[path = "it/exit_codes.rs"]
mod exit_codes;
#[path = "it/features.rs"]
mod features;
#[path = "it/fix.rs"]
mod fix;
#[path = "it/formats.rs"]
mod formats;
#[path = "it/git.rs"]
mod git;
#[path = "it/github_action.rs"]
mod github_action;
#[path = "it/gitlab.rs"]
mod gitlab;
#[path = "it/guide.rs"]
mod guide;
#[path = "it/history.rs"]
mod history;
#[path = "it/hooks.rs"]
mod hooks;
#[path = "it/hostile.rs"]
mod hostile;
#[path = "it/inputs.rs"]
mod inputs;
#[path = "it/interactive.rs"]
mod interactive;
#[path = "it/interrupted.rs"]
mod interrupted;
#[path = "it/laws.rs"]
mod laws;
#[path = "it/lazy.rs"]
mod lazy;
#[cfg(feature = "live")]
#[expect(dead_code, reason = "the crate that it belongs to uses all of it")]
#[path = "../crates/govern/src/live_server.rs"]
mod live_server;
#[path = "it/not_ours.rs"]
mod not_ours;
#[path = "it/output.rs"]
mod output;
#[path = "it/output_attacks.rs"]
mod output_attacks;
#[path = "it/packs.rs"]
mod packs;
#[path = "it/red.rs"]
mod red;
#[path = "it/scale.rs"]
mod scale;
#[path = "it/schemas.rs"]
mod schemas;
#[path = "it/staged.rs"]
mod staged;
#[path = "it/support.rs"]
mod support;
#[path = "it/tools.rs"]
mod tools;
#[cfg(feature = "live")]
#[path = "it/tools_live.rs"]
mod tools_live;
#[path = "it/trust.rs"]
mod trust;
#[path = "it/verdicts.rs"]
mod verdicts;
#[path = "it/watch.rs"]
mod watch;
