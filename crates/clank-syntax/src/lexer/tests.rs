//! What tokens texts have.

use crate::{SyntaxCode, TokenKind, lex};

/// The kinds and texts of the tokens that are not blanks, then the errors.
fn tokens(text: &str) -> String {
    let (tokens, errors) = lex(text);
    let kept = tokens.iter().filter(|(kind, _)| *kind != TokenKind::Whitespace);
    let shown = kept.map(|(kind, text)| format!("{kind:?} {text}"));
    let errors = errors
        .iter()
        .map(|it| format!("{} {}..{} {}", it.code.name(), it.span.start, it.span.end, it.message));
    shown.chain(errors).collect::<Vec<_>>().join(" | ")
}

fn each(lines: &str) -> String {
    let lines = lines.trim().lines().map(str::trim);
    lines.map(|line| format!("{line}  =>  {}\n", tokens(line))).collect()
}

/// Identifiers, keywords and Unicode spellings. Row 7: `Int32` and `ℤ32` are names of their own.
#[test]
fn names_words_and_other_spellings() {
    insta::assert_snapshot!(
        each(
            r##"
            x _x _ __ X xλ λx éa Éa x1 αx
            fn ƒ fnx let_ js unsafe as
            Int Int32 ℤ ℤ32 ℤ64 ℤ320 ℕ ℝ String
            \ λ -> → <- ← != ≠ <= ≤ >= ≥ && ∧ || ∨ ! ¬
            "##
        ),
        @r#"
x _x _ __ X xλ λx éa Éa x1 αx  =>  Ident x | Ident _x | Underscore _ | Ident __ | TypeIdent X | Ident xλ | Lambda λ | Ident x | Ident éa | TypeIdent Éa | Ident x1 | Error α | Ident x | E0001 31..33 `α` is not part of the language
fn ƒ fnx let_ js unsafe as  =>  Fn fn | Fn ƒ | Ident fnx | Ident let_ | Js js | Unsafe unsafe | Ident as
Int Int32 ℤ ℤ32 ℤ64 ℤ320 ℕ ℝ String  =>  TypeIdent Int | TypeIdent Int32 | TypeIdent ℤ | TypeIdent ℤ32 | TypeIdent ℤ64 | TypeIdent ℤ | Int 320 | TypeIdent ℕ | TypeIdent ℝ | TypeIdent String
\ λ -> → <- ← != ≠ <= ≤ >= ≥ && ∧ || ∨ ! ¬  =>  Lambda \ | Lambda λ | Arrow -> | Arrow → | LeftArrow <- | LeftArrow ← | NotEq != | NotEq ≠ | LtEq <= | LtEq ≤ | GtEq >= | GtEq ≥ | And && | And ∧ | Or || | Or ∨ | Not ! | Not ¬
"#
    );
}

/// Operators and punctuation: the longest one.
#[test]
fn punctuation_is_as_long_as_can_be() {
    insta::assert_snapshot!(
        each(
            r##"
            + - * / % ^ == < > |> | ++ ? = ( ) [ ] { } , : :: ; . .. ..=
            a+++b a<-b a..=b a...b |>| :::
            "##
        ),
        @r#"
+ - * / % ^ == < > |> | ++ ? = ( ) [ ] { } , : :: ; . .. ..=  =>  Plus + | Minus - | Star * | Slash / | Percent % | Caret ^ | EqEq == | Lt < | Gt > | PipeGt |> | Pipe | | PlusPlus ++ | Question ? | Eq = | LParen ( | RParen ) | LBracket [ | RBracket ] | LBrace { | RBrace } | Comma , | Colon : | ColonColon :: | Semi ; | Dot . | DotDot .. | DotDotEq ..=
a+++b a<-b a..=b a...b |>| :::  =>  Ident a | PlusPlus ++ | Plus + | Ident b | Ident a | LeftArrow <- | Ident b | Ident a | DotDotEq ..= | Ident b | Ident a | DotDot .. | Dot . | Ident b | PipeGt |> | Pipe | | ColonColon :: | Colon :
"#
    );
}

/// Numbers; row 51: `t.0` reaches a tuple.
#[test]
fn numbers_positions_and_ranges() {
    insta::assert_snapshot!(
        each(
            r##"
            1 1_000 0xFf 0b01 1i32 0x1i64 1.5 .5 1e3 1.5e-3 2E+4
            0..5 0..=5 1.x 1..x
            t.0.1 f(x).0 xs[0].1 {}.2 x?.3 T.4 t.0.1.2
            1 .5 (.5) [.5, .5] a + .5 t . 0 t. .0 ...0
            1ea 1e 1e- 0x 0xg 0b2 1i3 1.5i32 1e999
            "##
        ),
        @r#"
1 1_000 0xFf 0b01 1i32 0x1i64 1.5 .5 1e3 1.5e-3 2E+4  =>  Int 1 | Int 1_000 | Int 0xFf | Int 0b01 | Int 1i32 | Int 0x1i64 | Float 1.5 | Float .5 | Float 1e3 | Float 1.5e-3 | Float 2E+4
0..5 0..=5 1.x 1..x  =>  Int 0 | DotDot .. | Int 5 | Int 0 | DotDotEq ..= | Int 5 | Int 1 | Dot . | Ident x | Int 1 | DotDot .. | Ident x
t.0.1 f(x).0 xs[0].1 {}.2 x?.3 T.4 t.0.1.2  =>  Ident t | Dot . | Int 0 | Dot . | Int 1 | Ident f | LParen ( | Ident x | RParen ) | Dot . | Int 0 | Ident xs | LBracket [ | Int 0 | RBracket ] | Dot . | Int 1 | LBrace { | RBrace } | Dot . | Int 2 | Ident x | Question ? | Dot . | Int 3 | TypeIdent T | Dot . | Int 4 | Ident t | Dot . | Int 0 | Dot . | Int 1 | Dot . | Int 2
1 .5 (.5) [.5, .5] a + .5 t . 0 t. .0 ...0  =>  Int 1 | Float .5 | LParen ( | Float .5 | RParen ) | LBracket [ | Float .5 | Comma , | Float .5 | RBracket ] | Ident a | Plus + | Float .5 | Ident t | Dot . | Int 0 | Ident t | Dot . | Dot . | Int 0 | DotDot .. | Float .0
1ea 1e 1e- 0x 0xg 0b2 1i3 1.5i32 1e999  =>  Int 1ea | Float 1e | Float 1e- | Int 0x | Int 0xg | Int 0b2 | Int 1i3 | Float 1.5i32 | Float 1e999 | E0003 0..3 `ea` cannot follow a number directly | E0003 4..6 the exponent of this number has no digits | E0003 7..10 the exponent of this number has no digits | E0003 11..13 this number has no digits | E0003 14..17 `g` cannot follow a number directly | E0003 18..21 `2` cannot follow a number directly | E0003 22..25 `i3` cannot follow a number directly | E0003 26..32 `i32` cannot follow a number directly | E0003 33..38 this number is too large for a `Float`
"#
    );
}

/// Escapes are checked in all strings.
#[test]
fn strings_and_templates() {
    insta::assert_snapshot!(
        each(
            r##"
            "a" "a\"b" "" """a"b""" """""" `a` `a ${b} c`
            "a\qb\é" """\x""" `\y ${"\z"}` "\n\r\t\\\"\'\0\`\$"
            `${ "}" } ${ `}` } ${ {} } ${ /* } */ 1 }` x
            "abc
            "abc\
            `abc ${ x
            `abc ${ "x }`
            """abc
            "##
        ),
        @r#"
"a" "a\"b" "" """a"b""" """""" `a` `a ${b} c`  =>  Str "a" | Str "a\"b" | Str "" | MultilineStr """a"b""" | MultilineStr """""" | Template `a` | Template `a ${b} c`
"a\qb\é" """\x""" `\y ${"\z"}` "\n\r\t\\\"\'\0\`\$"  =>  Str "a\qb\é" | MultilineStr """\x""" | Template `\y ${"\z"}` | Str "\n\r\t\\\"\'\0\`\$" | E0002 2..4 unknown escape `\q` | E0002 5..8 unknown escape `\é` | E0002 13..15 unknown escape `\x` | E0002 20..22 unknown escape `\y`
`${ "}" } ${ `}` } ${ {} } ${ /* } */ 1 }` x  =>  Template `${ "}" } ${ `}` } ${ {} } ${ /* } */ 1 }` | Ident x
"abc  =>  Str "abc | E0002 0..4 unterminated string
"abc\  =>  Str "abc\ | E0002 0..5 unterminated string
`abc ${ x  =>  Template `abc ${ x | E0002 0..9 unterminated template
`abc ${ "x }`  =>  Template `abc ${ "x }` | E0002 0..13 unterminated template
"""abc  =>  MultilineStr """abc | E0002 0..6 unterminated string
"#
    );
}

#[test]
fn comments_nest_and_strays_come_in_runs() {
    insta::assert_snapshot!(
        each(
            r##"
            a // b /* c
            a /* b /* c */ d */ e
            a /* b /* c */ d
            a @#€ b & c @
            "##
        ),
        @r#"
a // b /* c  =>  Ident a | LineComment // b /* c
a /* b /* c */ d */ e  =>  Ident a | BlockComment /* b /* c */ d */ | Ident e
a /* b /* c */ d  =>  Ident a | BlockComment /* b /* c */ d | E0002 2..16 unterminated comment
a @#€ b & c @  =>  Ident a | Error @#€ | Ident b | Error & | Ident c | Error @ | E0001 2..7 `@#€` is not part of the language | E0001 10..11 `&` is not an operator | E0001 14..15 `@` is not part of the language
"#
    );
}

#[test]
fn what_has_no_end_is_given_up_before_the_next_declaration() {
    let texts = ["`a\nb\nfn f", "\"\"\"a\n\ntype T", "`a\nfnord\n", "`a\nfn f\n`b\nrec R"];
    let shown: Vec<String> =
        texts.iter().map(|it| format!("{it:?}  =>  {:?}", tokens(it))).collect();
    insta::assert_snapshot!(shown.join("\n"), @r#"
"`a\nb\nfn f"  =>  "Template `a\nb | Fn fn | Ident f | E0002 0..4 unterminated template"
"\"\"\"a\n\ntype T"  =>  "MultilineStr \"\"\"a\n | Type type | TypeIdent T | E0002 0..5 unterminated string"
"`a\nfnord\n"  =>  "Template `a\nfnord\n | E0002 0..9 unterminated template"
"`a\nfn f\n`b\nrec R"  =>  "Template `a\nfn f\n` | Ident b | Rec rec | TypeIdent R"
"#);
}

#[test]
fn a_byte_order_mark_is_a_blank_only_at_the_start() {
    let (tokens, errors) = lex("\u{FEFF}x \u{FEFF}");
    assert_eq!(tokens.kind(0), TokenKind::Whitespace);
    assert_eq!(tokens.kind(1), TokenKind::Ident);
    assert_eq!(tokens.kind(3), TokenKind::Error);
    assert_eq!(errors.len(), 1);
}

#[test]
fn integers_have_at_most_20000_digits() {
    for (text, is_good) in [
        ("1".repeat(20_000), true),
        ("1".repeat(20_001), false),
        (format!("0x{}", "f".repeat(20_000)), true),
        (format!("0x{}", "f".repeat(20_001)), false),
    ] {
        let (tokens, errors) = lex(&text);
        assert_eq!(tokens.len(), 1);
        let codes: Vec<SyntaxCode> = errors.iter().map(|it| it.code).collect();
        assert_eq!(codes.is_empty(), is_good, "{} digits", text.len());
        assert!(is_good || codes == [SyntaxCode::E0003]);
    }
}

#[test]
fn what_is_after_the_last_token_is_the_end() {
    let (tokens, _) = lex("a b");
    assert_eq!((tokens.len(), tokens.is_empty()), (3, false));
    assert_eq!(tokens.kind(3), TokenKind::End);
    assert_eq!(tokens.text(usize::MAX), "");
    assert_eq!(tokens.first_from(1), 1);
    assert_eq!(tokens.source(), "a b");
}
