//! The blank between two tokens that stay on one line, as far as the tokens alone decide it.

use super::items::FormatTokens;
use crate::token::TokenKind::{self, *};

/// How many blanks (0 or 1) go before an item.
pub(super) fn blanks_before(items: &FormatTokens<'_>, item: u32) -> u8 {
    let next = items.kind(item);
    let Some(before) = item.checked_sub(1) else { return 0 };
    let prev = items.kind(before);
    let is_tight = match (prev, next) {
        (LBrace, RBrace) => true,
        // `1 .f` must not become a float.
        (Int | Float, Dot) => before.checked_sub(1).is_some_and(|it| items.kind(it) == Dot),
        (_, Comma | Semi | RParen | RBracket | Question | Colon | Dot) => true,
        (Lambda, Arrow) => false,
        (LParen | LBracket | Dot | Not | Lambda, _) => true,
        // The rest of an open record type.
        (Comma | LBrace, DotDot) | (DotDot, RBrace) => false,
        (_, DotDot | DotDotEq) | (DotDot | DotDotEq, _) => true,
        (_, LParen | LBracket) => ends_operand(prev),
        _ => false,
    };
    u8::from(!is_tight)
}

/// Whether brackets after it are a call, an index or arguments.
fn ends_operand(kind: TokenKind) -> bool {
    matches!(
        kind,
        Ident
            | TypeIdent
            | Underscore
            | RParen
            | RBracket
            | RBrace
            | Question
            | True
            | False
            | Int
            | Float
            | Str
            | MultilineStr
            | Template
    )
}
