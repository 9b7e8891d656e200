//! Laws of patches on arbitrary programs, with arbitrary operations.

use clank_syntax::ast::{Ast, AstKind, Decl, Expr, NodeId, Type};
use clank_syntax::patch::{
    PatchError, PatchOp, Patchable, Payload, apply, edits, name_at, patch, rename_at,
};
use clank_syntax::{parse, print, print_node};
use edit::Text;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{check, check_nearby};
use crate::format::programs;
use crate::generate::{config, trees};

/// Operations as a function of arbitrary bytes.
struct Choice<'a> {
    ast: &'a Ast,
    bytes: std::slice::Iter<'a, u8>,
}

impl Choice<'_> {
    fn number(&mut self) -> usize {
        let mut next = || usize::from(self.bytes.next().copied().unwrap_or(0));
        next() * 256 + next()
    }

    /// A node for which something holds.
    fn node(&mut self, is_it: impl Fn(&AstKind) -> bool) -> Option<NodeId> {
        let all: Vec<NodeId> = (0..self.ast.nodes().len() as u32)
            .map(NodeId)
            .filter(|it| is_it(&self.ast.node(*it).kind))
            .collect();
        let at = self.number();
        (!all.is_empty()).then(|| all[at % all.len()])
    }

    /// An expression that is somewhere in the program, as a text.
    fn expr(&mut self) -> Value {
        let small =
            |it: &AstKind| matches!(it, AstKind::Expr(it) if !matches!(it, Expr::Block { .. }));
        match self.node(small) {
            Some(node) if self.ast.subtree(node).len() < 20 => {
                json!({ "source": print_node(self.ast, node) })
            }
            _ => json!({ "kind": "ident", "name": "y" }),
        }
    }

    fn statement(&mut self) -> Value {
        match self.number() % 4 {
            0 => json!({ "kind": "assert", "condition": self.expr(), "message": "no" }),
            1 => json!({ "kind": "let", "pattern": { "source": "x" }, "value": self.expr() }),
            2 => json!({ "kind": "expr", "expr": self.expr() }),
            _ => json!({ "kind": "while", "condition": self.expr(), "body": { "source": "a; b" } }),
        }
    }

    fn wrapper(&mut self) -> Value {
        let hole = json!({ "hole_ref": "it" });
        match self.number() % 5 {
            0 => json!({ "kind": "call", "callee": { "source": "f" }, "args": [hole] }),
            1 => json!({ "kind": "binary", "op": "*", "left": hole, "right": self.expr() }),
            2 => json!({ "kind": "binary", "op": "^", "left": self.expr(), "right": hole }),
            3 => json!({ "kind": "field", "object": hole, "field": "0" }),
            _ => json!({
                "kind": "if",
                "condition": self.expr(),
                "thenBranch": { "kind": "block", "statements": [], "expr": hole },
                "elseBranch": { "source": "panic(\"no\")" },
            }),
        }
    }

    fn op(&mut self) -> Option<PatchOp> {
        let choice = self.number();
        let id = |it: NodeId| self.ast.ids().id(it);
        let is_expr = |it: &AstKind| matches!(it, AstKind::Expr(_));
        Some(match choice % 12 {
            0 => {
                let ast = self.ast;
                let named: Vec<NodeId> = (0..ast.nodes().len() as u32)
                    .map(NodeId)
                    .filter(|it| name_at(ast, *it).is_some())
                    .collect();
                let node = *named.get(self.number() % named.len().max(1))?;
                let is_type = name_at(ast, node)?.starts_with(|it: char| it.is_uppercase());
                let new_name = if is_type { "Renamed" } else { "renamed" };
                return rename_at(ast, &[node], &new_name.into()).ok()?.pop();
            }
            1 => {
                let node_id = id(self.node(is_expr)?);
                PatchOp::ReplaceNode { node_id, new_node: Payload(self.expr()) }
            }
            2 => {
                let target_id =
                    id(self.node(|it| matches!(it, AstKind::Expr(_) | AstKind::Stmt(_)))?);
                PatchOp::InsertBefore { target_id, new_statement: Payload(self.statement()) }
            }
            3 => {
                let target_id = id(self.node(|it| matches!(it, AstKind::Stmt(_)))?);
                PatchOp::InsertAfter { target_id, new_statement: Payload(self.statement()) }
            }
            4 | 5 => PatchOp::Wrap {
                node_id: id(self.node(is_expr)?),
                wrapper: Payload(self.wrapper()),
                hole_ref: "it".into(),
            },
            6 => PatchOp::DeleteNode { node_id: id(self.node(|_| true)?) },
            7 => PatchOp::WidenEffect {
                fn_id: id(self.node(|it| matches!(it, AstKind::Decl(_)))?),
                add_effects: vec!["IO".into(), "Err".into()],
            },
            8 => PatchOp::AddParam {
                fn_id: id(self.node(|it| match it {
                    AstKind::Decl(it) => matches!(**it, Decl::Fn(_)),
                    AstKind::Expr(it) => matches!(it, Expr::Lambda { .. }),
                    _ => false,
                })?),
                param: Payload(json!({ "name": "new", "type": { "source": "[Int]" } })),
                position: (choice > 30_000).then_some(0),
            },
            9 => PatchOp::AddField {
                type_id: id(self.node(|it| match it {
                    AstKind::Decl(it) => matches!(**it, Decl::Rec { .. }),
                    AstKind::Type(it) => matches!(it, Type::Record { .. }),
                    _ => false,
                })?),
                field: Payload(json!({ "name": "new", "type": { "source": "Int" } })),
            },
            10 => PatchOp::AddRefinement {
                type_id: id(self.node(|it| matches!(it, AstKind::Type(_)))?),
                predicate: Payload(self.expr()),
            },
            _ => return self.rearrangement(),
        })
    }

    /// Something made of the children that a node has.
    fn rearrangement(&mut self) -> Option<PatchOp> {
        let node =
            self.node(|it| matches!(it, AstKind::Expr(Expr::Call { .. } | Expr::Binary { .. })))?;
        let moved = |it: NodeId| json!({ "node": self.ast.ids().id(it).as_str() });
        let mut children: Vec<Value> = self.ast.children(node).into_iter().map(moved).collect();
        let node_id = self.ast.ids().id(node);
        let new_node = match self.number() % 4 {
            0 => children.swap_remove(0),
            1 => {
                children.reverse();
                json!({ "kind": "array", "elements": children })
            }
            2 => {
                let callee = children.remove(0);
                children.push(self.expr());
                json!({ "kind": "call", "callee": callee, "args": children })
            }
            _ => {
                children.push(moved(node));
                json!({ "kind": "tuple", "elements": [children.pop()] })
            }
        };
        Some(PatchOp::ReplaceNode { node_id, new_node: Payload(new_node) })
    }
}

/// Operations that are done, or refused without anything being done.
fn check_choice(text: &str, bytes: &[u8]) {
    let parsed = parse("a.clank", text);
    let mut choice = Choice { ast: &parsed.ast, bytes: bytes.iter() };
    let n_ops = choice.number() % 3 + 1;
    let ops: Vec<PatchOp> = (0..n_ops).filter_map(|_| choice.op()).collect();
    for op in &ops {
        assert_eq!(PatchOp::from_json(&op.to_json()).as_ref(), Ok(op));
    }
    if let Err(error) = check(text, &ops) {
        assert_ne!(error, PatchError::OtherText, "{ops:#?}\n{text}");
    }
}

/// In programs of some length nearly every change can be made by a look at what is near it, however they are laid out.
#[test]
fn most_patches_need_only_what_is_near_them() {
    let (mut n_all, mut n_nearby, mut n_bytes, mut n_read) = (0, 0, 0, 0);
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut byte = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as u8
    };
    for (_, text) in programs() {
        let unlike = |it: &str| it.replace("  ", " \t ");
        for text in
            [text.clone(), unlike(&text), text.replace('\n', "\r\n"), text.replace("\n\n", "\n")]
        {
            let parsed = parse("a.clank", &text);
            let patchable = Patchable::new(&parsed);
            for _ in 0..12 {
                let bytes: Vec<u8> = (0..40).map(|_| byte()).collect();
                let mut choice = Choice { ast: &parsed.ast, bytes: bytes.iter() };
                let Some(op) = choice.op() else { continue };
                let ops = [op];
                let Ok(patched) = patch(&parsed.ast, &ops) else { continue };
                let whole = edits(&parsed, &patched).expect("every patch can be lowered");
                let after = whole.apply(&Text::new(text.as_str())).expect("the edits fit the text");
                n_all += 1;
                n_bytes += text.len();
                if check_nearby(&patchable, &ops, &text, &String::from_utf8_lossy(after.bytes())) {
                    n_nearby += 1;
                    n_read += patchable.n_bytes_nearby(&ops).expect("it was done");
                }
            }
        }
    }
    assert!(n_all > 300 && n_nearby * 10 > n_all * 9, "{n_nearby} of {n_all}");
    assert!(n_read * 3 < n_bytes, "{n_read} of {n_bytes} bytes");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: config().cases / 4, ..config() })]

    #[test]
    fn a_patched_text_is_the_patched_tree(
        ast in trees(),
        bytes in prop::collection::vec(any::<u8>(), 40),
    ) {
        check_choice(&print(&ast), &bytes);
    }

    #[test]
    fn a_patched_program_is_the_patched_tree(
        program in 0..8usize,
        bytes in prop::collection::vec(any::<u8>(), 40),
    ) {
        check_choice(&programs()[program].1, &bytes);
    }

    // RS-32: an id that is not there changes nothing.
    #[test]
    fn a_stale_id_is_refused(ast in trees(), number in 100_000..u32::MAX) {
        let op = PatchOp::DeleteNode { node_id: format!("n{number}").into() };
        let refused = PatchError::Unknown { id: format!("n{number}").into() };
        prop_assert_eq!(apply(&ast, &[op]), Err(refused));
    }

    // A rename is one edit of the name alone, and the way back gives the text.
    #[test]
    fn a_rename_and_its_inverse_change_nothing(program in 0..8usize, at in any::<usize>()) {
        let text = &programs()[program].1;
        let parsed = parse("a.clank", text);
        let is_ident = |it: &NodeId| matches!(parsed.ast.node(*it).kind, AstKind::Expr(Expr::Ident { .. }));
        let idents: Vec<NodeId> =
            (0..parsed.ast.nodes().len() as u32).map(NodeId).filter(is_ident).collect();
        let node = idents[at % idents.len()];
        let old_name = name_at(&parsed.ast, node).unwrap().clone();
        let new_name = "w".repeat(old_name.len());
        prop_assume!(new_name != old_name.as_str());
        let there = rename_at(&parsed.ast, &[node], &new_name.as_str().into()).unwrap();
        let made = edits(&parsed, &patch(&parsed.ast, &there).unwrap()).unwrap();
        let span = parsed.ast.span(node);
        prop_assert_eq!(made.edits().len(), 1);
        prop_assert_eq!((made.edits()[0].start, made.edits()[0].end), (span.start, span.end));
        let renamed = String::from_utf8(made.apply(&Text::new(text.as_str())).unwrap().bytes().to_vec()).unwrap();
        let parsed = parse("a.clank", &renamed);
        let back = rename_at(&parsed.ast, &[node], &old_name).unwrap();
        prop_assert_eq!(&check(&renamed, &back).unwrap(), text);
    }

    #[test]
    fn no_payload_makes_it_fall(
        ast in trees(),
        at in any::<u32>(),
        from in any::<u32>(),
        (key, value) in (0..14usize, 0..9usize),
    ) {
        let node = |it: u32| ast.ids().id(NodeId(it % ast.nodes().len() as u32));
        let keys = ["kind", "name", "op", "args", "left", "body", "type", "value", "source", "node",
            "statements", "hole_ref", "id", "params"];
        let values = [json!(null), json!(1), json!("x"), json!([]), json!({}), json!({ "source": "x" }),
            json!({ "node": node(from).as_str() }), json!("block"), json!([{ "hole_ref": "x" }])];
        let payload = json!({ keys[key]: values[value], keys[(key + value) % 14]: values[(value + 3) % 9] });
        let (node_id, payload) = (node(at), Payload(payload));
        for op in [
            PatchOp::ReplaceNode { node_id: node_id.clone(), new_node: payload.clone() },
            PatchOp::Wrap { node_id: node_id.clone(), wrapper: payload.clone(), hole_ref: "x".into() },
            PatchOp::InsertAfter { target_id: node_id.clone(), new_statement: payload.clone() },
            PatchOp::AddParam { fn_id: node_id, param: payload, position: Some(1) },
        ] {
            let _ = apply(&ast, std::slice::from_ref(&op));
            let _ = PatchOp::from_json(&op.to_json());
        }
    }
}
