//! Where lines may break, and together with what: decided node by node, from parents to children.
//!
//! A *gap* is what is before an item. A *group* is a range of items whose gaps break all or none: a list and its commas,
//! a chain of operators of one precedence, an `if` with all its branches. A gap belongs to one group, its owner.
//!
//! The author decides where a line break says something: a `{` at the end of its line keeps the lines of its block,
//! `match`, record or declaration, and one blank line between statements, elements or declarations stays.

mod brackets;
mod expr;

use super::chunk::Chunk;
use super::items::{FormatTokens, NONE};
use super::spacing::blanks_before;
use crate::ast::{Ast, AstKind, Decl, Expr, Literal, Node, NodeId, Pattern, Stmt, Type};
use crate::token::TokenKind;

/// When a gap is a line break. In every case also if a comment in it asks for one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Break {
    Never,
    /// If its group is broken.
    WithGroup,
    /// If its group is broken, but no line can be cut there on its own: the `{` after a broken condition.
    AfterGroup,
    Always,
}

/// What is before an item.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenGap {
    pub(super) when: Break,
    /// Blanks if it is not a line break.
    pub(super) blanks: u8,
    /// The group that it breaks with, and that the next line is indented from; [`NONE`] for the innermost group.
    pub(super) owner: u32,
    /// How many steps the next line is indented.
    pub(super) steps: u8,
    /// How many steps comments on their own lines are indented.
    pub(super) comment_steps: u8,
    /// Whether a blank line may stay right after the item before.
    pub(super) may_lead: bool,
    /// Whether a blank line may stay right before the item.
    pub(super) may_trail: bool,
    /// Whether it must be a line break.
    pub(super) is_forced: bool,
    /// Whether comments in it must end a line.
    pub(super) is_cut: bool,
}

/// Items whose gaps break together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) first: u32,
    pub(super) last: u32,
    /// What has to fit on the line with it ends here, or later if the line cannot be cut there.
    pub(super) reach: u32,
    /// The bracket in the last argument that may stay on the line of the call while only its inside is broken, and the
    /// first item of its group.
    pub(super) hug: Option<(u32, u32)>,
    /// The next group that starts with the same item, inside this one.
    pub(super) next: u32,
}

#[derive(Debug)]
pub(super) struct Guide {
    /// By item.
    pub(super) gaps: Vec<TokenGap>,
    pub(super) groups: Vec<Group>,
    /// By item: the outermost group that starts with it.
    pub(super) starts: Vec<u32>,
    /// By item: how many groups end with it.
    pub(super) ends: Vec<u32>,
    /// The first and last item of each declaration.
    pub(super) declarations: Vec<(u32, u32)>,
}

/// What a parent tells a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Own,
    /// Its gaps belong to this group of its parent: a branch of an `if`, an operand in a chain.
    Shares(u32),
    /// It is followed by the `{` of its parent.
    Head(u32),
}

struct Guiding<'a> {
    ast: &'a Ast,
    items: &'a FormatTokens<'a>,
    guide: Guide,
    /// By item: the innermost group that starts with it so far.
    innermost: Vec<u32>,
    /// By node, from the first one of the chunk on.
    roles: Vec<Role>,
    first_node: usize,
}

/// Marks the operators that are prefixes, then decides every gap.
pub(super) fn guide(ast: &Ast, chunk: &Chunk<'_>, items: &mut FormatTokens<'_>) -> Guide {
    let nodes = chunk.nodes.start as usize..chunk.nodes.end as usize;
    mark_prefixes(&ast.nodes()[nodes.clone()], items);
    let n_items = items.items.len();
    let gaps = (0..n_items as u32)
        .map(|item| TokenGap {
            when: Break::Never,
            blanks: blanks_before(items, item),
            owner: NONE,
            steps: 1,
            comment_steps: 1,
            may_lead: false,
            may_trail: false,
            is_forced: false,
            is_cut: is_cut(items, item),
        })
        .collect();
    let mut guiding = Guiding {
        ast,
        items,
        guide: Guide {
            gaps,
            groups: Vec::with_capacity(n_items / 4),
            starts: vec![NONE; n_items],
            ends: vec![0; n_items],
            declarations: Vec::with_capacity(chunk.declarations.len()),
        },
        innermost: vec![NONE; n_items],
        roles: vec![Role::Own; nodes.len()],
        first_node: nodes.start,
    };
    for &decl in chunk.declarations {
        guiding.declaration(decl.into());
    }
    // Children have smaller ids than their parents.
    for index in nodes.rev() {
        guiding.node(NodeId(index as u32));
    }
    guiding.end_of_text();
    guiding.guide
}

fn mark_prefixes(nodes: &[Node], items: &mut FormatTokens<'_>) {
    for node in nodes {
        let is_prefixed = matches!(
            node.kind,
            AstKind::Expr(Expr::Unary { .. } | Expr::Hole { .. })
                | AstKind::Pattern(Pattern::Literal(Literal::Int { .. } | Literal::Float(_)))
        );
        if !is_prefixed {
            continue;
        }
        if let Some(item) = items.starting_at(node.span.start) {
            let kind = &mut items.items[item as usize].kind;
            if matches!(kind, TokenKind::Minus | TokenKind::Question) {
                *kind = TokenKind::Not;
            }
        }
    }
}

/// Whether a line must end in the gap before an item because of its comments.
fn is_cut(items: &FormatTokens<'_>, item: u32) -> bool {
    let comments = items.comments_before(item);
    let Some(first) = comments.first() else { return false };
    first.is_line
        || comments[1..].iter().any(|it| it.is_line || it.lines_before > 0)
        || items.items[item as usize].lines_before > 0
}

impl Guiding<'_> {
    fn node(&mut self, id: NodeId) {
        let node = self.ast.node(id);
        // What is inside a template is part of one token.
        let Some((first, last)) = self.range(id) else { return };
        match &node.kind {
            AstKind::Program(_) => {}
            AstKind::Decl(decl) => self.decl(decl, first, last),
            AstKind::Stmt(stmt) => self.stmt(stmt, first),
            AstKind::Expr(expr) => self.expr(id, expr, first, last),
            AstKind::Type(ty) => self.ty(ty, first, last),
            AstKind::Pattern(Pattern::Tuple { .. }) => self.list(first),
            AstKind::Pattern(Pattern::Record { .. }) => self.spaced_list(first),
            AstKind::Pattern(Pattern::Variant { .. }) | AstKind::Variant(_) => {
                self.list_ending(last, TokenKind::RParen);
            }
            AstKind::Pattern(_)
            | AstKind::Param(_)
            | AstKind::LambdaParam(_)
            | AstKind::TypeParam(_)
            | AstKind::Field(_)
            | AstKind::VariantField(_)
            | AstKind::Arm(_)
            | AstKind::FieldInit(_)
            | AstKind::FieldPattern(_) => {}
        }
    }

    fn declaration(&mut self, id: NodeId) {
        let Some((first, last)) = self.range(id) else { return };
        self.guide.declarations.push((first, last));
        let gap = &mut self.guide.gaps[first as usize];
        gap.when = Break::Always;
        (gap.steps, gap.comment_steps) = (0, 0);
        (gap.may_lead, gap.may_trail) = (true, true);
        gap.is_forced = first > 0;
    }

    fn end_of_text(&mut self) {
        if let Some(gap) = self.guide.gaps.last_mut() {
            (gap.steps, gap.comment_steps) = (0, 0);
            (gap.may_lead, gap.may_trail) = (true, false);
        }
    }

    fn decl(&mut self, decl: &Decl, first: u32, last: u32) {
        match decl {
            Decl::Fn(it) => {
                let group = self.group(first, last);
                let clause = it.precondition.or(it.postcondition);
                let end = match clause {
                    Some(clause) => self.before(clause.into()).map(|it| it - 1),
                    None => self.first(it.body.into()),
                };
                self.signature(first + 2, end.unwrap_or(last));
                for clause in [it.precondition, it.postcondition].into_iter().flatten() {
                    if let Some(keyword) = self.before(clause.into()) {
                        self.break_with(keyword, group, 1);
                    }
                }
                if let Some(brace) = self.first(it.body.into()) {
                    self.after_head(brace, group);
                    if it.precondition.is_some() || it.postcondition.is_some() {
                        self.guide.gaps[brace as usize].when = Break::AfterGroup;
                    }
                }
                self.set_role(it.body.into(), Role::Shares(group));
            }
            Decl::ExternalFn(_) => {
                let is_member = self.items.kind(first) == TokenKind::Fn;
                self.signature(if is_member { first + 2 } else { first + 3 }, last);
            }
            Decl::ExternalMod { functions, .. } => {
                let open = self.items.items[last as usize].mate;
                if open == NONE {
                    return;
                }
                let group = self.group(open, last);
                self.inside(open, group, 1);
                for (index, &function) in functions.iter().enumerate() {
                    let Some(first) = self.first(function.into()) else { continue };
                    self.separate(first, group);
                    self.guide.gaps[first as usize].may_lead = index > 0;
                    self.guide.gaps[first as usize].is_forced = true;
                }
            }
            Decl::TypeAlias { .. } => self.type_params(first + 2),
            Decl::Rec { .. } | Decl::Sum { .. } => {
                self.type_params(first + 2);
                self.braces_ending(last);
            }
            Decl::Use(it) if !it.items.is_empty() => self.list_ending(last, TokenKind::RBrace),
            Decl::Use(_) | Decl::Mod { .. } | Decl::Error { .. } => {}
        }
    }

    /// Type parameters, if there are any, and parameters, from the item after the name. The parameters break rather than
    /// the result type, so that it ends on their last line.
    fn signature(&mut self, at: u32, end: u32) {
        self.type_params(at);
        let at = match self.items.kind(at) {
            TokenKind::LBracket => self.items.items[at as usize].mate.saturating_add(1),
            _ => at,
        };
        if self.items.kind(at) == TokenKind::LParen {
            let group = self.guide.groups.len();
            self.list(at);
            if let Some(group) = self.guide.groups.get_mut(group) {
                group.reach = end;
            }
        }
    }

    fn type_params(&mut self, at: u32) {
        if self.items.kind(at) == TokenKind::LBracket {
            self.list(at);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, first: u32) {
        let (head, body) = match stmt {
            Stmt::For { iterable, body, .. } => (Some(*iterable), *body),
            Stmt::While { condition, body } => (Some(*condition), *body),
            Stmt::Loop { body } => (None, *body),
            _ => return,
        };
        let Some((brace, last)) = self.range(body.into()) else { return };
        let group = self.group(first, last);
        self.after_head(brace, group);
        self.set_role(body.into(), Role::Shares(group));
        if let Some(head) = head {
            self.set_role(head.into(), Role::Head(brace));
        }
    }

    fn ty(&mut self, ty: &Type, first: u32, last: u32) {
        match ty {
            Type::Named { .. } => self.list_ending(last, TokenKind::RBracket),
            Type::Tuple { .. } | Type::Function { .. } => self.list(first),
            Type::Refined { .. } => {
                let open = self.items.items[last as usize].mate;
                if open != NONE {
                    for item in [open, open + 1, last] {
                        self.guide.gaps[item as usize].blanks = 0;
                    }
                }
            }
            Type::Record { .. } => self.braces_ending(last),
            Type::Array { .. } | Type::Effect { .. } | Type::Error { .. } => {}
        }
    }

    fn role(&self, id: NodeId) -> Role {
        self.roles[id.index() - self.first_node]
    }

    fn set_role(&mut self, id: NodeId, role: Role) {
        self.roles[id.index() - self.first_node] = role;
    }

    /// The first and last item of a node.
    fn range(&self, id: NodeId) -> Option<(u32, u32)> {
        let span = self.ast.node(id).span;
        Some((self.items.starting_at(span.start)?, self.items.ending_at(span.end)?))
    }

    fn first(&self, id: NodeId) -> Option<u32> {
        self.items.starting_at(self.ast.node(id).span.start)
    }

    /// The item before a node and the parentheses around it.
    fn before(&self, id: NodeId) -> Option<u32> {
        let mut item = self.first(id)?.checked_sub(1)?;
        while self.items.kind(item) == TokenKind::LParen {
            item = item.checked_sub(1)?;
        }
        Some(item)
    }

    /// A new group, inside those that start with the same item.
    fn group(&mut self, first: u32, last: u32) -> u32 {
        let group = self.guide.groups.len() as u32;
        self.guide.groups.push(Group { first, last, reach: last, hug: None, next: NONE });
        match std::mem::replace(&mut self.innermost[first as usize], group) {
            NONE => self.guide.starts[first as usize] = group,
            outer => self.guide.groups[outer as usize].next = group,
        }
        self.guide.ends[last as usize] += 1;
        group
    }

    fn break_with(&mut self, item: u32, owner: u32, steps: u8) {
        let gap = &mut self.guide.gaps[item as usize];
        gap.when = Break::WithGroup;
        gap.owner = owner;
        (gap.steps, gap.comment_steps) = (steps, steps);
    }

    /// The `{` or `else` that goes on after a head. A comment before it puts it on its own line.
    fn after_head(&mut self, item: u32, owner: u32) {
        let gap = &mut self.guide.gaps[item as usize];
        gap.owner = owner;
        (gap.steps, gap.comment_steps) = (0, 0);
    }
}
