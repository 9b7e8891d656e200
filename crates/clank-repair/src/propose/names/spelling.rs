//! Which of two spellings is the likelier one: the one whose words occur elsewhere.

use clank_syntax::ast::{Ast, AstKind, Decl, Expr, Name, Pattern, Type};
use rustc_hash::FxHashMap;

/// How often words, and pairs of letters in them, occur in the names of a module.
pub(super) struct WordCounts {
    counts: FxHashMap<String, usize>,
    pairs: FxHashMap<(char, char), usize>,
}

impl WordCounts {
    /// Counts the words of every name, where it is declared and where it is used, and those of the prelude.
    pub(super) fn of(ast: &Ast) -> WordCounts {
        let mut words = WordCounts { counts: FxHashMap::default(), pairs: FxHashMap::default() };
        for node in ast.nodes() {
            if let Some(name) = name_at(&node.kind) {
                words.add(name);
            }
        }
        #[expect(clippy::iter_over_hash_type, reason = "sums do not depend on the order")]
        for name in clank::prelude().values.keys() {
            words.add(name);
        }
        words
    }

    fn add(&mut self, name: &str) {
        for word in words(name) {
            for pair in pairs(&word) {
                *self.pairs.entry(pair).or_insert(0) += 1;
            }
            *self.counts.entry(word).or_insert(0) += 1;
        }
    }

    /// Whether one of two spellings is the likelier one: its words occur elsewhere more often, or all its pairs of
    /// letters do and not all of the other's. Each comes with how often it is itself there.
    pub(super) fn prefer(&self, one: (&str, usize), other: (&str, usize)) -> bool {
        let (own, others) = (self.count(one), self.count(other));
        own > others || own == others && self.is_plausible(one) && !self.is_plausible(other)
    }

    /// How often the rarest word of a name occurs elsewhere.
    fn count(&self, (name, n_own): (&str, usize)) -> usize {
        let count = |it: String| self.counts.get(&it).copied().unwrap_or(0).saturating_sub(n_own);
        words(name).map(count).min().unwrap_or(0)
    }

    fn is_plausible(&self, (name, n_own): (&str, usize)) -> bool {
        let occurs = |it: (char, char)| self.pairs.get(&it).is_some_and(|count| *count > n_own);
        words(name).all(|word| pairs(&word).all(occurs))
    }
}

fn pairs(word: &str) -> impl Iterator<Item = (char, char)> {
    word.chars().zip(word.chars().skip(1))
}

/// The words of `snake_case` and `CamelCase`, in lower case.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if letter == '_' || letter == '.' || letter.is_uppercase() {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
    }
    words.into_iter().filter(|it| !it.is_empty())
}

fn name_at(kind: &AstKind) -> Option<&Name> {
    match kind {
        AstKind::Decl(it) => match &**it {
            Decl::Fn(it) => Some(&it.name),
            Decl::ExternalFn(it) => Some(&it.name),
            Decl::ExternalMod { name, .. }
            | Decl::TypeAlias { name, .. }
            | Decl::Rec { name, .. }
            | Decl::Sum { name, .. }
            | Decl::Mod { name } => Some(name),
            Decl::Use(_) | Decl::Error { .. } => None,
        },
        AstKind::Expr(
            Expr::Ident { name } | Expr::RecordLit { name, .. } | Expr::Field { field: name, .. },
        )
        | AstKind::Type(Type::Named { name, .. })
        | AstKind::Pattern(Pattern::Ident { name } | Pattern::Variant { name, .. }) => Some(name),
        AstKind::Param(it) => Some(&it.name),
        AstKind::LambdaParam(it) => Some(&it.name),
        AstKind::TypeParam(it) => Some(&it.name),
        AstKind::Field(it) => Some(&it.name),
        AstKind::Variant(it) => Some(&it.name),
        AstKind::VariantField(it) => it.name.as_ref(),
        AstKind::FieldInit(it) => Some(&it.name),
        AstKind::FieldPattern(it) => Some(&it.name),
        _ => None,
    }
}
