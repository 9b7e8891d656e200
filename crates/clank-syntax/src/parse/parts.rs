//! A long text in parts that are read at the same time.
//!
//! A declaration is read without regard to the others, so a text without mistakes that is cut before declarations has the
//! tree of its parts, one after the other. Whether a cut is one is only known afterwards: the part before it must end
//! between tokens, outside all brackets, with a whole declaration. All of that is so if there is no mistake in it. If
//! there is one in any part, the text is read as a whole, because a mistake may reach over a cut.

use rayon::prelude::*;

use super::{ReadText, read};
use crate::ast::{Builder, DeclId, NodeId, Source};
use crate::lexer::lex_part;
use crate::span::Span;
use crate::token::TokenKind;

/// A part is not shorter than that: what it takes to hand it to another thread should not be seen.
const MIN_BYTES: usize = 128 << 10;

/// The words that most declarations start with.
const WORDS: [&str; 4] = ["fn ", "rec ", "sum ", "type "];

/// Reads a text in parts, if it is long enough for them and has no mistakes.
pub(super) fn read_parts(builder: &mut Builder, text: &str) -> Option<ReadText> {
    u32::try_from(text.len()).ok()?;
    // To ask for the threads starts them, so a short text does not.
    let n_parts = match text.len() / MIN_BYTES {
        0 | 1 => return None,
        most => most.min(rayon::current_num_threads()),
    };
    read_cut(builder, text, &cuts(text, n_parts))
}

/// Places where declarations seem to start, so far apart that there are so many parts.
fn cuts(text: &str, n_parts: usize) -> Vec<u32> {
    let mut cuts = Vec::new();
    for part in 1..n_parts {
        let wanted = text.len() / n_parts * part;
        let from = cuts.last().map_or(wanted, |it: &u32| wanted.max(*it as usize + 1));
        cuts.extend(start_after(text, from).map(|it| it as u32));
    }
    cuts
}

/// The first line after an offset that starts with the word of a declaration.
fn start_after(text: &str, offset: usize) -> Option<usize> {
    let line_ends = text.bytes().enumerate().skip(offset).filter(|it| it.1 == b'\n');
    let starts_declaration = |it: &usize| {
        text.get(*it..).is_some_and(|it| WORDS.iter().any(|word| it.starts_with(word)))
    };
    line_ends.map(|it| it.0 + 1).find(starts_declaration)
}

/// Reads a text that is cut at these places; nothing if there is a mistake in it.
fn read_cut(builder: &mut Builder, text: &str, cuts: &[u32]) -> Option<ReadText> {
    let ends = cuts.iter().copied().chain([text.len() as u32]);
    let starts = std::iter::once(0).chain(cuts.iter().copied());
    let spans: Vec<Span> = starts.zip(ends).map(|it| Span::new(it.0, it.1)).collect();
    if spans.len() < 2 {
        return None;
    }
    let parts: Vec<Option<(Builder, ReadText)>> = spans
        .par_iter()
        .map(|span| {
            // The nodes of the others are put behind those of the first one.
            let n_like_it = if span.start == 0 { spans.len() } else { 1 };
            read_part(text, *span, n_like_it)
        })
        .collect();
    let mut whole: Option<ReadText> = None;
    for part in parts {
        let (own, part) = part?;
        let n_before = builder.append(own);
        match &mut whole {
            None => whole = Some(part),
            Some(whole) => {
                whole.tokens.extend(part.tokens);
                let declarations = part.declarations.into_iter();
                whole.declarations.extend(declarations.map(|it| moved(it, n_before)));
            }
        }
    }
    whole
}

fn moved(declaration: DeclId, by: u32) -> DeclId {
    DeclId::assume(NodeId(declaration.node().0 + by))
}

fn read_part(text: &str, part: Span, n_like_it: usize) -> Option<(Builder, ReadText)> {
    let lexed = lex_part(text, part);
    // A comment or a string may go on after the cut.
    let is_whole = part.end as usize == text.len()
        || lexed.tokens.last().is_some_and(|it| it.kind == TokenKind::Whitespace);
    if !is_whole || !lexed.errors.is_empty() {
        return None;
    }
    let mut builder = Builder::new(Source { file: String::new(), text: String::new() });
    let part = read(&mut builder, text, lexed, part.end, n_like_it);
    part.errors.is_empty().then_some((builder, part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::Parsed;
    use crate::token::Tokens;

    const PROGRAMS: [&str; 3] = [
        include_str!("../../tests/programs/bank.clank"),
        include_str!("../../tests/programs/machine.clank"),
        include_str!("../../tests/programs/tokenizer.clank"),
    ];

    fn cut_at(text: &str, cuts: &[u32]) -> Option<Parsed> {
        let source = Source { file: "a.clank".to_owned(), text: text.to_owned() };
        let mut builder = Builder::new(source);
        let read = read_cut(&mut builder, text, cuts)?;
        let tokens = Tokens::new(text.to_owned(), read.tokens);
        let end = Span::new(0, text.len() as u32);
        let ast = builder.finish(read.declarations, end).expect("no ids are given");
        Some(Parsed { ast: ast.marked_as_read(), tokens, errors: read.errors })
    }

    /// Every place where a text could be cut.
    fn places(text: &str) -> Vec<u32> {
        let next = |it: &usize| start_after(text, *it);
        std::iter::successors(start_after(text, 0), next).map(|it| it as u32).collect()
    }

    /// How a text is cut cannot be seen in its tree. Returns how many cuts are good for something.
    fn check(text: &str) -> usize {
        let whole = crate::parse("a.clank", text);
        let places = places(text);
        let one = places.iter().map(|it| vec![*it]);
        let two = places.windows(2).map(<[u32]>::to_vec);
        let mut n_read = 0;
        for cuts in one.chain(two).chain([places.clone()]).filter(|it| !it.is_empty()) {
            if let Some(parsed) = cut_at(text, &cuts) {
                assert_eq!(parsed, whole, "cut at {cuts:?}:\n{text}");
                n_read += 1;
            }
        }
        n_read
    }

    #[test]
    fn parts_of_a_program_are_read_like_the_whole() {
        for program in PROGRAMS {
            assert_eq!(check(program), 2 * places(program).len());
            let twice = format!("{program}\n{}", program.replace('\n', "\r\n"));
            assert!(check(&twice) > check(program));
        }
    }

    /// Texts in which the start of a line is not a start of a declaration, or what is before it is not whole.
    #[test]
    fn a_mistake_that_reaches_over_a_cut_is_seen() {
        let good = "fn a() -> Int { 1 }\n";
        let hostile = [
            "/*\nfn b() -> Int { 2 }\n*/\n",
            "/* /*\nfn b() -> Int { 2 }\n*/ */ // `\n",
            "fn s() -> Str { \"\"\"\nfn b() -> Int { 2 }\n\"\"\" }\n",
            "fn s() -> Str { `\nfn b() -> Int { 2 }\n${1}` }\n",
            "fn s() -> Str { `${`\nrec B { b: Int }\n`}` }\n",
            "external mod M from \"m\" {\nfn b(x: Int) -> Int\n}\n",
            "external\nfn b() -> Int from \"m\"\n",
            "use m.\nfn b() -> Int { 2 }\n",
            "use external\ntype B = Int\n",
            "fn b() -> Int { 2\nfn c() -> Int { 3 }\n",
            "fn b() -> Int { 2 }}\nfn c() -> Int { 3 }\n",
            "fn b() -> [Int] { [1,\nfn c() -> Int { 3 }\n] }\n",
            "type B =\nrec C { c: Int }\n",
            "fn b() -> Int { \"\nfn c() -> Int { 3 }\n",
            "#\nfn b() -> Int { 2 }\n",
            "fn b() -> Int { t.\nfn c() -> Int { 3 }\n .5 }\n",
            "",
        ];
        for middle in hostile {
            check(middle);
            check(&format!("{good}{middle}{good}"));
            check(&format!("{good}{good}{middle}"));
        }
        assert!(check(&good.repeat(4)) > 0);
    }

    #[test]
    fn a_long_text_is_cut_and_a_short_one_is_not() {
        let n_parts = |text: &str, n| cuts(text, n).len() + 1;
        let text = "fn a() -> Int { 1 }\n".repeat(100);
        assert_eq!((n_parts(&text, 1), n_parts(&text, 2), n_parts(&text, 4)), (1, 2, 4));
        assert_eq!((n_parts("", 4), n_parts("fn a() -> Int {\n  1\n}", 4)), (1, 1));
        let long = "fn a() -> Int { 1 }\n".repeat(MIN_BYTES / 5);
        let parsed = crate::parse("a.clank", &long);
        assert_eq!((parsed.errors.len(), parsed.ast.declarations().len()), (0, MIN_BYTES / 5));
        let mut builder = Builder::new(Source { file: String::new(), text: String::new() });
        assert!(read_parts(&mut builder, &long[..1_000]).is_none());
    }
}
