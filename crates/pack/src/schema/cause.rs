//! What a fault hangs on: a part of the schema may apply only because something else is wrong.
//!
//! Where `kind: Deploymnt` is none of the kinds, the branch for another kind asks for keys that nobody meant to write.
//! The way that validation took says through which branches a fault came, and how deep in the document each was entered:
//! what else is wrong right there, and did not come through the same branch, may be why that branch applied.

use std::ops::ControlFlow;

use document::Pointer;

use super::fault::{FaultKind, SchemaFault};

/// Whether a fault came through a branch that may apply only because of another fault in the same object.
pub(crate) fn has_one(faults: &[SchemaFault], idx: usize) -> bool {
    let fault = &faults[idx];
    let mut found = false;
    let _ = branches(&fault.evaluation_path, &mut |n_segments, depth| {
        let object = fault.at.prefix(depth.min(fault.at.segments().len()));
        let branch = fault.evaluation_path.prefix(n_segments);
        found = faults.iter().enumerate().any(|(other, it)| {
            let is_there = other != idx
                && object.is_prefix_of(&it.place())
                && it.place().segments().len() <= object.segments().len() + 1;
            is_there
                && !matches!(it.kind, FaultKind::Deprecated { .. })
                && it.place() != fault.place()
                && !branch.is_prefix_of(&it.evaluation_path)
        });
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}

/// Whether the fault holds only if something else is so, which may be what is wrong instead.
pub(crate) fn is_conditional(evaluation_path: &Pointer) -> bool {
    branches(evaluation_path, &mut |_, _| ControlFlow::Break(())).is_break()
}

/// Calls back for every branch on the way, with the number of segments that lead into it and how deep in the document
/// it was entered.
fn branches(
    evaluation_path: &Pointer,
    visit: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let segments = evaluation_path.segments();
    let (mut at, mut depth) = (0, 0);
    while let Some(segment) = segments.get(at) {
        let is_index = |it: usize| {
            segments.get(it).is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit()))
        };
        // How many segments the keyword takes, and how many levels of the document.
        let (n_segments, n_levels, is_branch) = match segment.as_str() {
            "anyOf" | "oneOf" | "dependentSchemas" | "dependencies" => (2, 0, true),
            "if" | "then" | "else" | "not" => (1, 0, true),
            "allOf" => (2, 0, false),
            "properties" | "patternProperties" | "prefixItems" => (2, 1, false),
            "items" => (if is_index(at + 1) { 2 } else { 1 }, 1, false),
            "additionalProperties"
            | "additionalItems"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "contains" => (1, 1, false),
            _ => (1, 0, false),
        };
        at += n_segments;
        if is_branch {
            visit(at.min(segments.len()), depth)?;
        }
        depth += n_levels;
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(at: &str, evaluation_path: &str, kind: FaultKind) -> SchemaFault {
        let pointer = |it: &str| it.parse::<Pointer>().unwrap();
        SchemaFault {
            at: pointer(at),
            evaluation_path: pointer(evaluation_path),
            is_guess: false,
            kind,
        }
    }

    fn missing(at: &str, evaluation_path: &str) -> SchemaFault {
        fault(at, evaluation_path, FaultKind::Missing { key: "x".into() })
    }

    #[test]
    fn a_branch_may_apply_because_of_what_is_wrong_in_its_object() {
        let tag = fault("/kind", "/properties/kind/enum", FaultKind::Enum { options: vec![] });
        let check = |fault: SchemaFault, other: SchemaFault, expected| {
            let faults = [fault, other];
            assert_eq!(has_one(&faults, 0), expected, "{faults:?}");
        };
        check(missing("", "/then/required"), tag.clone(), true);
        check(missing("/spec", "/then/properties/spec/required"), tag.clone(), true);
        check(missing("/spec", "/properties/spec/then/required"), tag.clone(), false);
        check(missing("", "/required"), tag.clone(), false);
        check(missing("", "/oneOf/1/required"), tag.clone(), true);
        check(missing("", "/properties/then/required"), tag, false);
        let twin = fault("/a", "/oneOf/1/properties/a/type", FaultKind::Type { allowed: vec![] });
        check(missing("", "/oneOf/1/required"), twin.clone(), false);
        check(missing("", "/oneOf/0/required"), twin, true);
    }

    #[test]
    fn a_key_that_is_called_like_a_keyword_is_no_branch() {
        let is = |path: &str| is_conditional(&path.parse().unwrap());
        assert!(is("/allOf/0/if/const") && is("/anyOf/2/type") && is("/dependencies/a/required"));
        assert!(
            !is("/properties/if/const")
                && !is("/allOf/0/type")
                && !is("/$ref/properties/oneOf/type")
        );
        assert!(!is("/items/0/properties/not/enum") && !is(""));
    }
}
