//! What a guard accepts, refuses and costs.

use super::*;
use crate::testing::yaml;

#[track_caller]
fn check(expression: &str, document: &str, expected: Result<bool, &str>) {
    let document = yaml(document);
    let guard = Guard::compile(expression).unwrap();
    let result = on_a_deep_stack(|| guard.holds(&mut Scope::new(&document), &document)).unwrap();
    match (result, expected) {
        (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{expression}"),
        (Err(error), Err(part)) => {
            assert!(error.to_string().contains(part), "{expression}: {error}")
        }
        (found, expected) => panic!("{expression}: {found:?}, not {expected:?}"),
    }
}

#[test]
fn expressions_see_the_value_and_its_document() {
    check("self.n + 1 == 4", "n: 3", Ok(true));
    check("self.n + 1 == -2", "n: -3", Ok(true));
    check("self.f * 2.0 > 2.0", "f: 1.5", Ok(true));
    check("doc.items.all(i, i.x > 0)", "items: [{x: 1}, {x: 0}]", Ok(false));
    check("has(self.a) && !has(self.b)", "a: 1", Ok(true));
    check(
        "self.items.exists(i, i.tags.exists(t, t == 'b'))",
        "items: [{tags: [a]}, {tags: [b]}]",
        Ok(true),
    );
    check("self.name.matches('^[a-z]+$')", "name: abc", Ok(true));
    check("size(self.items.filter(i, i > 1)) == 2", "items: [1, 2, 3]", Ok(true));
    check("self.all(k, k.startsWith('a'))", "{ab: 1, ac: 2}", Ok(true));
    check("type(self.n) == int", "n: 3", Ok(true));
    check(&format!("{}true", "!".repeat(3000)), "n: 3", Ok(true));
    check("self.big == 99999999999999999999999.0", "big: 99999999999999999999999", Ok(true));
}

#[test]
fn what_cannot_be_decided_is_never_a_pass() {
    check("self.missing", "n: 3", Err("missing"));
    check("self.n", "n: 3", Err("expected true or false, found a number"));
    check("self.n / 0 == 1", "n: 3", Err(""));
    check("self.n < 'a'", "n: 3", Err(""));
    // The order of a map's members is not fixed, so nothing may depend on it (CS-44).
    check("self.map(k, k)[0] == 'a'", "{a: 1, b: 2}", Err("no order"));
    check("(true ? self : self).filter(k, k == 'a').size() == 1", "{a: 1, b: 2}", Err("no order"));
    check("self.all(k, self[k].x > 0)", "{a: {y: 1}, b: 2}", Err("some member of a map"));
    check("self.l.map(k, k)[0] == 'a'", "l: [a, b]", Ok(true));
    check("self.l.filter(k, k > 1).map(k, k + 1)[0] == 3", "l: [1, 2]", Ok(true));
}

#[test]
fn the_cost_is_bounded_before_anything_is_evaluated() {
    let items: Vec<String> = (0..200).map(|it| it.to_string()).collect();
    let document = format!("l: [{}]", items.join(", "));
    check("self.l.all(a, self.l.all(b, a + b >= 0))", &document, Ok(true));
    check(
        "self.l.all(a, self.l.all(b, self.l.all(c, a + b + c >= 0)))",
        &document,
        Err("may cost more"),
    );
    let text = format!("s: {}", "x".repeat(100_000));
    let doubling = "[self.s].map(a, a + a + a + a + a + a + a + a)";
    let thrice = format!(
        "{doubling}.map(a, a + a + a + a + a + a + a + a).map(a, a + a + a + a).size() == 1"
    );
    check(&thrice, &text, Err("may cost more"));
}

/// Every limit has its own words.
#[test]
fn what_is_too_much_is_refused_when_the_pack_is_loaded() {
    let deep = "self.all(a, self.all(b, self.all(c, self.all(d, a == b))))";
    let chained = "self.map(a, a).map(a, a).map(a, a).map(a, a) == self";
    for (source, part) in [
        ("1 +".to_owned(), ""),
        (format!("1 == {}1", "1 + ".repeat(1100)), "4096"),
        (format!("1 == {}1", "1 + ".repeat(900)), ""),
        (format!("{}1{} == 1", "(".repeat(2000), ")".repeat(2000)), ""),
        (format!("[{}] == []", "1,".repeat(600)), "500 nodes"),
        (deep.to_owned(), "3 deep"),
        (chained.to_owned(), "3 deep"),
        ("selff.x == 1".to_owned(), "cannot find `selff`"),
        ("sise(self) == 1".to_owned(), "nearest are size"),
        ("self.matches(self)".to_owned(), "literal"),
        ("self.matches('(')".to_owned(), "pattern of `matches`"),
        ("self.matches('((a{99}){99}){99}')".to_owned(), "pattern of `matches`"),
        (format!("self.matches('{}')", "a".repeat(600)), "512"),
        ("Thing{a: 1} == 1".to_owned(), ""),
    ] {
        let Err(error) = Guard::compile(&source) else { panic!("{source:.60} was accepted") };
        assert!(error.contains(part), "{error}");
        assert!(error.chars().count() < 200, "{error}");
    }
}

/// The deepest expression and document within the limits fit the stack.
#[test]
fn the_deepest_accepted_expression_evaluates() {
    let sum = format!("1 {} == 241", "+ 1 ".repeat(240));
    check(&sum, "{}", Ok(true));
    let deep = format!("{}1{}", "[".repeat(250), "]".repeat(250));
    check("doc == self", &deep, Ok(true));
}
