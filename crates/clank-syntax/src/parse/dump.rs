//! Trees as S-expressions on one line, for tests.

use crate::ast::*;
use crate::parse;

/// The declarations of a program, one per line, then its errors.
pub(super) fn dump(text: &str) -> String {
    let parsed = parse("test.clank", text);
    let mut lines: Vec<String> =
        parsed.ast.declarations().iter().map(|&it| node(&parsed.ast, it.into())).collect();
    lines.extend(parsed.errors.iter().map(|it| {
        let mut line = format!("{} {}: {}", it.code.name(), at(it.span.start, text), it.message);
        if let Some(help) = &it.help {
            line += &format!(" (help: {help})");
        }
        if let Some((span, what)) = &it.related {
            line += &format!(" ({}: {what})", at(span.start, text));
        }
        line
    }));
    lines.join("\n")
}

fn at(offset: u32, text: &str) -> String {
    let before = &text[..offset as usize];
    let line_start = before.rfind('\n').map_or(0, |it| it + 1);
    format!("{}:{}", before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

fn all<T: Copy + Into<NodeId>>(ast: &Ast, nodes: &[T]) -> String {
    nodes.iter().map(|&it| format!(" {}", node(ast, it.into()))).collect()
}

fn some<T: Copy + Into<NodeId>>(ast: &Ast, word: &str, child: Option<T>) -> String {
    let word = if word.is_empty() { String::new() } else { format!(" {word}") };
    child.map_or(String::new(), |it| format!("{word} {}", node(ast, it.into())))
}

/// One node with what is in it.
pub(super) fn node(ast: &Ast, id: NodeId) -> String {
    match &ast.node(id).kind {
        AstKind::Program(it) => format!("(program{})", all(ast, &it.declarations)),
        AstKind::Decl(it) => decl(ast, it),
        AstKind::Stmt(it) => stmt(ast, it),
        AstKind::Expr(it) => expr(ast, it),
        AstKind::Type(it) => ty(ast, it),
        AstKind::Pattern(it) => pattern(ast, it),
        AstKind::Param(it) => format!("{}:{}", it.name, node(ast, it.ty.into())),
        AstKind::LambdaParam(it) => format!("{}{}", it.name, some(ast, ":", it.ty)),
        AstKind::TypeParam(it) => format!("{}{}", it.name, some(ast, ":", it.constraint)),
        AstKind::Field(it) => format!("{}:{}", it.name, node(ast, it.ty.into())),
        AstKind::Variant(it) => format!("({}{})", it.name, all(ast, &it.fields)),
        AstKind::VariantField(it) => {
            let name = it.name.as_ref().map_or(String::new(), |it| format!("{it}:"));
            format!("{name}{}", node(ast, it.ty.into()))
        }
        AstKind::Arm(it) => format!(
            "[{}{} => {}]",
            node(ast, it.pattern.into()),
            some(ast, "if", it.guard),
            node(ast, it.body.into())
        ),
        AstKind::FieldInit(it) => format!("{}={}", it.name, node(ast, it.value.into())),
        AstKind::FieldPattern(it) => format!("{}{}", it.name, some(ast, ":", it.pattern)),
    }
}

fn decl(ast: &Ast, it: &Decl) -> String {
    match it {
        Decl::Fn(it) => format!(
            "(fn {}{} ({}) -> {}{}{} {})",
            it.name,
            bracketed(ast, &it.type_params),
            all(ast, &it.params).trim_start(),
            node(ast, it.return_type.into()),
            some(ast, "pre", it.precondition),
            some(ast, "post", it.postcondition),
            node(ast, it.body.into())
        ),
        Decl::ExternalFn(it) => format!(
            "(external {}{} ({}) -> {} = {:?})",
            it.name,
            bracketed(ast, &it.type_params),
            all(ast, &it.params).trim_start(),
            node(ast, it.return_type.into()),
            it.js_name
        ),
        Decl::ExternalMod { name, js_module, functions } => {
            format!("(external-mod {name} {js_module:?}{})", all(ast, functions))
        }
        Decl::TypeAlias { name, type_params, ty } => {
            format!("(type {name}{} = {})", bracketed(ast, type_params), node(ast, (*ty).into()))
        }
        Decl::Rec { name, type_params, fields } => {
            format!("(rec {name}{}{})", bracketed(ast, type_params), all(ast, fields))
        }
        Decl::Sum { name, type_params, variants } => {
            format!("(sum {name}{}{})", bracketed(ast, type_params), all(ast, variants))
        }
        Decl::Mod { name } => format!("(mod {name})"),
        Decl::Use(it) => format!(
            "(use{} {:?} {:?} {:?})",
            if it.is_external { " external" } else { "" },
            it.path.join("."),
            it.items.join(","),
            it.alias.as_deref().unwrap_or_default()
        ),
        Decl::Error { source } => format!("(error {source:?})"),
    }
}

fn bracketed(ast: &Ast, params: &[TypeParamId]) -> String {
    match params {
        [] => String::new(),
        _ => format!("[{}]", all(ast, params).trim_start()),
    }
}

fn stmt(ast: &Ast, it: &Stmt) -> String {
    let child = |id: ExprId| node(ast, id.into());
    match it {
        Stmt::Let { pattern, ty, init, mutable } => format!(
            "(let {}{}{} {})",
            if *mutable { "mut " } else { "" },
            node(ast, (*pattern).into()),
            some(ast, ":", *ty),
            child(*init)
        ),
        Stmt::Assign { target, value } => format!("(= {} {})", child(*target), child(*value)),
        Stmt::Expr { expr } => format!("{};", child(*expr)),
        Stmt::For { pattern, iterable, body } => {
            format!("(for {} {} {})", node(ast, (*pattern).into()), child(*iterable), child(*body))
        }
        Stmt::While { condition, body } => {
            format!("(while {} {})", child(*condition), child(*body))
        }
        Stmt::Loop { body } => format!("(loop {})", child(*body)),
        Stmt::Return { value } => format!("(return{})", some(ast, "", *value)),
        Stmt::Break => "break".into(),
        Stmt::Continue => "continue".into(),
        Stmt::Assert { condition, message } => {
            format!("(assert {} {:?})", child(*condition), message.as_deref().unwrap_or_default())
        }
    }
}

fn literal(it: &Literal) -> String {
    match it {
        Literal::Int { value, suffix } => match suffix {
            None => value.to_string(),
            Some(IntSuffix::I32) => format!("{value}i32"),
            Some(IntSuffix::I64) => format!("{value}i64"),
        },
        Literal::Float(value) => format!("{value:?}"),
        Literal::Str(text) => format!("{text:?}"),
        Literal::Bool(value) => value.to_string(),
        Literal::Unit => "()".into(),
    }
}

fn expr(ast: &Ast, it: &Expr) -> String {
    let child = |id: ExprId| node(ast, id.into());
    match it {
        Expr::Literal(it) => literal(it),
        Expr::Template { parts } => {
            let parts: String = parts
                .iter()
                .map(|it| match it {
                    TemplatePart::Text(text) => format!(" {text:?}"),
                    TemplatePart::Expr(expr) => format!(" {}", child(*expr)),
                })
                .collect();
            format!("(template{parts})")
        }
        Expr::Ident { name } => name.to_string(),
        Expr::Unary { op, operand } => format!("({} {})", op.text(), child(*operand)),
        Expr::Binary { op, left, right } => {
            format!("({} {} {})", op.text(), child(*left), child(*right))
        }
        Expr::Call { callee, args } => format!("(call {}{})", child(*callee), all(ast, args)),
        Expr::Index { object, index } => format!("(index {} {})", child(*object), child(*index)),
        Expr::Field { object, field } => format!("(. {} {field})", child(*object)),
        Expr::Lambda { params, body } => {
            format!("(\\ ({}) {})", all(ast, params).trim_start(), child(*body))
        }
        Expr::If { condition, then_branch, else_branch } => format!(
            "(if {} {}{})",
            child(*condition),
            child(*then_branch),
            some(ast, "else", *else_branch)
        ),
        Expr::Match { scrutinee, arms } => {
            format!("(match {}{})", child(*scrutinee), all(ast, arms))
        }
        Expr::Block { statements, expr } => {
            let items = format!("{}{}", all(ast, statements), some(ast, "", *expr));
            format!("{{{}}}", items.trim_start())
        }
        Expr::Array { elements } => format!("[{}]", all(ast, elements).trim_start()),
        Expr::Tuple { elements } => format!("(tuple{})", all(ast, elements)),
        Expr::Record { fields } => format!("(record{})", all(ast, fields)),
        Expr::RecordLit { name, fields } => format!("({name}{{}}{})", all(ast, fields)),
        Expr::Range { start, end, inclusive } => {
            format!("({} {} {})", if *inclusive { "..=" } else { ".." }, child(*start), child(*end))
        }
        Expr::Propagate { expr } => format!("(? {})", child(*expr)),
        Expr::Hole { name } => format!("(hole {})", name.as_deref().unwrap_or("_")),
        Expr::Error { source } => format!("(error {source:?})"),
    }
}

fn ty(ast: &Ast, it: &Type) -> String {
    let child = |id: TypeId| node(ast, id.into());
    match it {
        Type::Named { name, args } if args.is_empty() => name.to_string(),
        Type::Named { name, args } => format!("{name}[{}]", all(ast, args).trim_start()),
        Type::Array { element } => format!("[{}]", child(*element)),
        Type::Tuple { elements } => format!("(tuple{})", all(ast, elements)),
        Type::Function { params, result } => {
            format!("(({}) -> {})", all(ast, params).trim_start(), child(*result))
        }
        Type::Refined { base, variable, predicate } => format!(
            "{}{{{}|{}}}",
            child(*base),
            variable.as_deref().unwrap_or_default(),
            node(ast, (*predicate).into())
        ),
        Type::Effect { effects, result } => {
            format!("(+{} {})", all(ast, effects), child(*result))
        }
        Type::Record { fields, open } => {
            format!("(record{}{})", all(ast, fields), if *open { " .." } else { "" })
        }
        Type::Error { source } => format!("(error {source:?})"),
    }
}

fn pattern(ast: &Ast, it: &Pattern) -> String {
    match it {
        Pattern::Wildcard => "_".into(),
        Pattern::Ident { name } => name.to_string(),
        Pattern::Literal(it) => literal(it),
        Pattern::Tuple { elements } => format!("(tuple{})", all(ast, elements)),
        Pattern::Record { fields } => format!("(record{})", all(ast, fields)),
        Pattern::Variant { name, payload } => format!("({name}{})", all(ast, payload)),
        Pattern::Error { source } => format!("(error {source:?})"),
    }
}
