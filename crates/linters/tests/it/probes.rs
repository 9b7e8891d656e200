//! Probes: each lands where it says in what its tool printed about it, and a tool that counts otherwise does not pass.

use linters::{Finding, Fix, ToolReport};

use super::support::{path, read, recorded, shown, tree};

/// A report that has every landmark at its place, made by hand.
fn report(probe: &linters::Probe, shift: u32) -> ToolReport {
    let (name, text) = probe.files[0];
    let text = edit::Text::new(text);
    let findings = probe.landmarks.iter().map(|mark| Finding {
        rule: mark.rule.to_owned(),
        severity: check::Severity::Warning,
        message: String::new(),
        file: path(name),
        range: (shift > 0 || !mark.text.is_empty())
            .then(|| mark.start + shift..mark.start + shift + mark.text.len() as u32),
        url: None,
        fixes: mark
            .fixed
            .map(|fixed| Fix {
                title: String::new(),
                safety: check::Safety::BehaviorChanging,
                edits: [(path(name), edit::diff(&text, &edit::Text::new(fixed)).unwrap())].into(),
                files: Vec::new(),
                is_layout: false,
            })
            .into_iter()
            .collect(),
    });
    ToolReport { findings: findings.collect(), ..ToolReport::default() }
}

#[test]
fn probes_are_consistent_and_refuse_what_is_askew() {
    let mut n_probes = 0;
    for adapter in linters::all() {
        let Some(probe) = &adapter.probe else { continue };
        n_probes += 1;
        tree(probe.files);
        assert!(probe.files[0].1.chars().any(|it| it as u32 > 0xFFFF), "{}", adapter.name);
        assert_eq!(probe.judge(&report(probe, 0)), Ok(()), "{}", adapter.name);
        if !probe.landmarks.is_empty() {
            assert!(probe.judge(&report(probe, 1)).is_err(), "{}", adapter.name);
            assert!(probe.judge(&ToolReport::default()).is_err(), "{}", adapter.name);
        }
    }
    assert!(n_probes >= 7, "{n_probes}");
}

/// What the real tools said about their probes.
#[test]
fn real_tools_pass_their_probes() {
    for adapter in linters::all() {
        let Some(probe) = &adapter.probe else { continue };
        // Both read what cargo prints.
        let name = if adapter.name == "rustc" { "clippy" } else { adapter.name };
        let fixture = recorded(&format!("probe-{name}"));
        let shape = &fixture.shapes[0];
        assert_eq!(
            (fixture.file.as_str(), shape.text.as_str()),
            probe.files[0],
            "{}",
            adapter.name
        );
        let snapshot = tree(probe.files);
        let report = read(&fixture, shape, &snapshot).unwrap();
        assert_eq!(probe.judge(&report), Ok(()), "{}: {}", adapter.name, shown(&report, &snapshot));
    }
}
