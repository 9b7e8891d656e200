//! The laws of the second half of Clank: what the solver says holds, patches leave a program, and repairs keep their
//! promises.

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use clank::body::GoalKind;
use clank::proof::Proof;
use clank::{Checked, CheckedModule};
use clank_repair::{Budget, FindingId, Repair, repairs, with_required};
use clank_syntax::ast::{Ast, Name, NodeId};
use clank_syntax::json::{WriteOptions, read, write};
use clank_syntax::patch::{PatchOp, Payload, edits, patch};
use clank_syntax::{Parsed, parse};
use edit::Text;
use serde_json::{Value as Json, json};
use solver::testing::{Expr, Op};
use solver::{Limits, Sort, Terms, Value, Verdict, decide, evaluate};

use crate::clank::text_program;

const N_ATOMS: u32 = 4;

/// Draws facts and a goal, and holds the answer against all small values.
pub fn decides(data: &[u8]) -> Result<()> {
    let mut input = Unstructured::new(data);
    let n_facts = input.int_in_range(0..=6)?;
    let facts: Vec<Expr> = (0..n_facts).map(|_| claim(&mut input, 3)).collect::<Result<_>>()?;
    let goal = claim(&mut input, 4)?;
    let mut terms = Terms::new();
    let fact_terms: Vec<_> = facts.iter().map(|it| it.build(&mut terms)).collect();
    let goal_term = goal.build(&mut terms);
    let limits = Limits { steps: 50_000 };
    let verdict = decide(&mut terms, &fact_terms, goal_term, &limits);
    assert_eq!(verdict, decide(&mut terms, &fact_terms, goal_term, &limits), "asked twice");
    if let Verdict::Unknown { counterexample: Some(model), .. } = &verdict {
        let value = |term| evaluate(&terms, term, model);
        assert!(fact_terms.iter().all(|it| value(*it) == Some(Value::Bool(true))), "{facts:?}");
        assert_eq!(value(goal_term), Some(Value::Bool(false)), "{goal:?}");
    }
    for choice in 0..5_u32.pow(N_ATOMS - 1) * 2 {
        let value = |atom: u32| Value::Int((i64::from(choice / 5_u32.pow(atom) % 5) - 2).into());
        let mut atoms: BTreeMap<u32, Value> = (0..N_ATOMS - 1).map(|it| (it, value(it))).collect();
        atoms.insert(N_ATOMS - 1, Value::Bool(choice % 2 == 0));
        if facts.iter().any(|it| it.value(&atoms) != Some(Value::Bool(true))) {
            continue;
        }
        match (&verdict, goal.value(&atoms)) {
            (Verdict::Discharged, Some(it)) => {
                assert_eq!(it, Value::Bool(true), "{facts:?} {goal:?} {atoms:?}");
            }
            (Verdict::Refuted, Some(it)) => {
                assert_eq!(it, Value::Bool(false), "{facts:?} {goal:?} {atoms:?}");
            }
            _ => {}
        }
    }
    Ok(())
}

/// Something that is true or false.
fn claim(input: &mut Unstructured<'_>, depth: u32) -> Result<Expr> {
    let kind = input.int_in_range(0..=if depth == 0 { 7 } else { 13 })?;
    let compared = [Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne];
    Ok(match kind {
        0 => Expr::Atom(N_ATOMS - 1, Sort::Bool),
        1 => Expr::Bool(input.arbitrary()?),
        2..=7 => Expr::Op(compared[kind as usize - 2], vec![number(input, 2)?, number(input, 2)?]),
        8 => Expr::Op(Op::Not, vec![claim(input, depth - 1)?]),
        9 => Expr::Op(Op::Implies, vec![claim(input, depth - 1)?, claim(input, depth - 1)?]),
        10 => {
            let parts =
                [claim(input, depth - 1)?, claim(input, depth - 1)?, claim(input, depth - 1)?];
            Expr::Op(Op::Ite, parts.to_vec())
        }
        11 | 12 => Expr::Op(Op::And, vec![claim(input, depth - 1)?, claim(input, depth - 1)?]),
        _ => Expr::Op(Op::Or, vec![claim(input, depth - 1)?, claim(input, depth - 1)?]),
    })
}

fn number(input: &mut Unstructured<'_>, depth: u32) -> Result<Expr> {
    let two = |input: &mut Unstructured<'_>| -> Result<Vec<Expr>> {
        Ok(vec![number(input, depth - 1)?, number(input, depth - 1)?])
    };
    Ok(match input.int_in_range(0..=if depth == 0 { 4 } else { 12 })? {
        0..=3 => Expr::Atom(input.int_in_range(0..=N_ATOMS - 2)?, Sort::Int),
        4 => Expr::Int(match input.ratio(1, 8)? {
            true => input.arbitrary()?,
            false => input.int_in_range(-4..=4)?,
        }),
        5 | 6 => Expr::Op(Op::Add, two(input)?),
        7 | 8 => Expr::Op(Op::Sub, two(input)?),
        9 => Expr::Op(Op::Mul, two(input)?),
        10 => Expr::Op(Op::Div, two(input)?),
        11 => Expr::Op(Op::Rem, two(input)?),
        _ => Expr::Op(Op::Neg, vec![number(input, depth - 1)?]),
    })
}

/// Draws operations on a program: they are refused, or what they make is a program, as a tree and as a text.
pub fn patches(text: &str, decisions: &[u8]) -> Result<()> {
    let parsed = parse("main.clank", text);
    let mut input = Unstructured::new(decisions);
    let count = input.int_in_range(1..=4)?;
    let ops: Vec<PatchOp> =
        (0..count).map(|_| draw_op(&parsed.ast, &mut input)).collect::<Result<_>>()?;
    for op in &ops {
        let again = PatchOp::from_json(&op.to_json()).expect("what was written is read");
        assert_eq!(*op, again);
    }
    let Ok(patched) = patch(&parsed.ast, &ops) else { return Ok(()) };
    assert_eq!(patched.origins.len(), patched.ast.nodes().len());
    let options = WriteOptions { ids: true, spans: false, pretty: false };
    if parsed.errors.is_empty() {
        let written = write(&patched.ast, &options);
        let again = read(&written).unwrap_or_else(|it| panic!("{it:?}\n{ops:?}\n{written}"));
        assert!(clank_syntax::same(&patched.ast, &again), "{ops:?}\n{written}");
        if let Ok(edits) = edits(&parsed, &patched) {
            let after = edits.apply(&Text::new(text)).expect("made for this text");
            let after = String::from_utf8_lossy(after.bytes());
            let reparsed = parse("main.clank", &after);
            assert!(reparsed.errors.is_empty(), "{:?}\n{ops:?}\n{after}", reparsed.errors);
            assert!(clank_syntax::same(&patched.ast, &reparsed.ast), "{ops:?}\n{after}");
        }
    }
    Ok(())
}

fn draw_op(ast: &Ast, input: &mut Unstructured<'_>) -> Result<PatchOp> {
    let (node_id, target_id) = (draw_id(ast, input)?, draw_id(ast, input)?);
    let name = |input: &mut Unstructured<'_>| -> Result<Name> {
        Ok(Name::new(input.choose(&["x", "renamed", "Made", "fn", "_", "0", "a.b", "IO", ""])?))
    };
    Ok(match input.int_in_range(0..=11)? {
        0 => PatchOp::ReplaceNode { node_id, new_node: draw_payload(ast, input)? },
        1 => PatchOp::InsertBefore { target_id, new_statement: draw_payload(ast, input)? },
        2 => PatchOp::InsertAfter { target_id, new_statement: draw_payload(ast, input)? },
        3 => {
            let hole = json!({ "kind": "hole", "ref": "it" });
            let wrapper = match input.int_in_range(0..=2)? {
                0 => json!({ "kind": "unary", "op": "-", "operand": hole }),
                1 => json!({ "kind": "call", "callee": { "source": "f" }, "args": [hole] }),
                _ => {
                    json!({ "kind": "binary", "op": "*", "left": hole, "right": { "source": "2" } })
                }
            };
            PatchOp::Wrap { node_id, wrapper: Payload(wrapper), hole_ref: Name::new("it") }
        }
        4 => PatchOp::DeleteNode { node_id },
        5 => PatchOp::WidenEffect { fn_id: node_id, add_effects: vec![name(input)?] },
        6 => {
            let old_name = old_name(ast, &node_id);
            PatchOp::RenameSymbol { node_id, old_name, new_name: name(input)? }
        }
        7 => PatchOp::Rename { symbol_id: node_id, new_name: name(input)? },
        8 => {
            let old_name = old_name(ast, &node_id);
            PatchOp::RenameField { node_id, old_name, new_name: name(input)? }
        }
        9 => {
            let field =
                json!({ "name": name(input)?.as_str(), "type": draw_payload(ast, input)?.0 });
            PatchOp::AddField { type_id: node_id, field: Payload(field) }
        }
        10 => {
            let param =
                json!({ "name": name(input)?.as_str(), "type": draw_payload(ast, input)?.0 });
            let position = input.arbitrary::<Option<u8>>()?.map(u32::from);
            PatchOp::AddParam { fn_id: node_id, param: Payload(param), position }
        }
        _ => PatchOp::AddRefinement { type_id: node_id, predicate: draw_payload(ast, input)? },
    })
}

fn draw_id(ast: &Ast, input: &mut Unstructured<'_>) -> Result<Name> {
    let last = ast.nodes().len() as u32 - 1;
    Ok(match input.ratio(1, 50)? {
        true => Name::new("n0"),
        false => ast.ids().id(NodeId(input.int_in_range(0..=last)?)).clone(),
    })
}

fn old_name(ast: &Ast, id: &Name) -> Name {
    let node = ast.ids().node(id);
    node.and_then(|it| clank_syntax::patch::name_at(ast, it).cloned()).unwrap_or_default()
}

/// A node of the tree, moved or written again, or something else.
fn draw_payload(ast: &Ast, input: &mut Unstructured<'_>) -> Result<Payload> {
    let id = draw_id(ast, input)?;
    Ok(Payload(match input.int_in_range(0..=5)? {
        0 | 1 => json!({ "node": id.as_str() }),
        2 | 3 => {
            let node = ast.ids().node(&id);
            json!({ "source": node.map_or("x", |it| ast.text(it)) })
        }
        4 => {
            json!({ "source": input.choose(&["x", "Int", "let a = 1", "f(1, 2)", "{ x: 1 }", "_"])? })
        }
        _ => Json::Null,
    }))
}

/// Every repair that says it was tried is applied to the text, and what is made is checked afresh: what it promises is
/// gone, and no mistake came up.
pub fn mends(text: &str) {
    let parsed = parse("main.clank", text);
    let program = text_program(text);
    let checked = clank::check(&program, None);
    let Some(asked) = checked.asked else { return };
    let budget = Budget { candidates: 40, nodes: 100_000, ..Budget::default() };
    let offered = repairs(&program, &checked, asked, &budget);
    let verified = (0..offered.list.len()).filter(|it| offered.list[*it].is_verified);
    for place in verified.take(12) {
        keeps_promise(&parsed, &checked, &offered.list, place);
    }
}

fn keeps_promise(parsed: &Parsed, before: &Checked, list: &[Repair], place: usize) {
    let module = before.asked().expect("there is one");
    let title = &list[place].title;
    let places =
        with_required(list, place).unwrap_or_else(|| panic!("{title}: requires what is not there"));
    let all = places.iter().flat_map(|it| &list[*it].edits);
    let ops: Vec<PatchOp> = all.flat_map(|it| it.1.clone()).collect();
    let patched = patch(&parsed.ast, &ops).unwrap_or_else(|it| panic!("{title}: {it}"));
    let edits = edits(parsed, &patched).unwrap_or_else(|it| panic!("{title}: {it}"));
    let after = edits.apply(&Text::new(parsed.tokens.source())).expect("made for this text");
    let text = String::from_utf8_lossy(after.bytes()).into_owned();
    let after = clank::check(&text_program(&text), None);
    let after = after.asked().expect("there is one");
    let mut expected = codes(module);
    let mut mends_mistake = false;
    let mut n_goals = open_goals(module);
    let goals: Vec<bool> = module.goals().map(|it| is_open(it.1.kind, it.2)).collect();
    for target in places.iter().flat_map(|it| &list[*it].resolves) {
        match *target {
            FindingId::Diagnostic(index) => {
                let code = module.diagnostics[index].code;
                mends_mistake |= code.is_error();
                let count = expected.get_mut(code.name()).expect("it was counted");
                *count = count.checked_sub(1).expect("promised once");
            }
            FindingId::Goal(index) => n_goals -= usize::from(goals[index]),
            FindingId::Hole(_) => {}
        }
    }
    for code in places.iter().flat_map(|it| &list[*it].reveals) {
        *expected.entry(code.name()).or_default() += 1;
    }
    for (code, count) in codes(after) {
        let may_come = code.starts_with('W') && mends_mistake;
        let expected = expected.get(code).copied().unwrap_or(0);
        assert!(
            count <= expected || may_come,
            "{title}: {code} {count} times, not {expected}:\n{text}"
        );
    }
    assert!(open_goals(after) <= n_goals || mends_mistake, "{title}: goals are left:\n{text}");
}

fn codes(module: &CheckedModule) -> BTreeMap<&'static str, usize> {
    let mut codes = BTreeMap::new();
    for it in &module.diagnostics {
        *codes.entry(it.code.name()).or_default() += 1;
    }
    codes
}

fn is_open(kind: GoalKind, proof: &Proof) -> bool {
    kind != GoalKind::Assertion && matches!(proof, Proof::Unknown(_))
}

fn open_goals(module: &CheckedModule) -> usize {
    module.goals().filter(|it| is_open(it.1.kind, it.2)).count()
}
