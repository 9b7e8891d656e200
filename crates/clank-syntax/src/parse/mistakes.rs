//! What is wrong with a text: one error for one mistake, with its code, and the tree of the rest.
//!
//! Row 18 of the decisions: every code from E0001 to E0009 is emitted.

use super::dump::dump;

/// Each line as the body of a function. What is wrong with it does not reach the next function.
fn bodies(lines: &str) -> String {
    let next = "(fn g () -> Int {1})";
    let cases = lines.trim().lines().map(str::trim).map(|line| {
        let tree = dump(&format!("fn f() -> Int {{\n{line}\n}}\nfn g() -> Int {{ 1 }}"));
        assert!(tree.contains(next) != line.starts_with("/*"), "{tree}");
        let tree = tree.replace(&format!("{next}\n"), "").replace("(fn f () -> Int ", "");
        format!("{line}\n    {}\n", tree.replacen(")\n", "\n", 1).replace('\n', "\n    "))
    });
    cases.collect()
}

/// Each line as a program; `;;` stands for a line end.
fn declarations(lines: &str) -> String {
    let cases = lines.trim().lines().map(str::trim).map(|line| {
        format!("{line}\n    {}\n", dump(&line.replace(";;", "\n")).replace('\n', "\n    "))
    });
    cases.collect()
}

/// E0001.
#[test]
fn what_does_not_fit_is_e0001() {
    insta::assert_snapshot!(
        bodies(
            r##"
            let x 1;
            let x;
            f(a b)
            x @ y
            x @€ y
            x & y
            a..b..c
            a.+
            x, y
            f(a = b)
            let sum = 1;
            assert x : y
            a :: b
            x <- y
            let x = 1 = 2;
            if x 1
            while x
            for x xs {}
            match x { A 1 }
            match x { A -> 1 B -> 2 }
            match x { A -> 1; B -> 2 }
            else { 1 }
            \x x
            \a b -> a
            f(\a, b -> a)
            "##
        ),
        @r#"
let x 1;
    {(let x 1)}
    E0001 2:7: expected `=` after `x`, found `1`
let x;
    {(error "let x");}
    E0001 2:6: expected `=` after `x`, found `;`
f(a b)
    {(call f a b)}
    E0001 2:5: expected `,` or `)` after `a`, found `b`
x @ y
    {(error "x @"); y}
    E0001 2:3: `@` is not part of the language
x @€ y
    {(error "x @€"); y}
    E0001 2:3: `@€` is not part of the language
x & y
    {(error "x &"); y}
    E0001 2:3: `&` is not an operator (help: write `&&`)
a..b..c
    {(error "a..b..c")}
    E0001 2:5: a range cannot start with another range (help: put one of them in parentheses)
a.+
    {(error "a.+")}
    E0001 2:3: expected the name of a field after `.`, found `+`
x, y
    {x; (error ", y")}
    E0001 2:2: expected a statement after `x`, found `,`
f(a = b)
    {(call f (error "a = b"))}
    E0001 2:5: expected `,` or `)` after `a`, found `=`
let sum = 1;
    {(error "let sum = 1");}
    E0007 2:5: expected a pattern after `let`, found `sum` (help: `sum` is a reserved word and cannot be a name)
assert x : y
    {(error "assert x : y")}
    E0001 2:12: expected a message in quotes after `:`, found `y`
a :: b
    {a; (error ":: b")}
    E0001 2:3: expected a statement after `a`, found `::`
x <- y
    {x; (error "<- y")}
    E0001 2:3: expected a statement after `x`, found `<-`
let x = 1 = 2;
    {(let x 1) (error "= 2");}
    E0001 2:11: expected a statement after `1`, found `=`
if x 1
    {(error "if x 1")}
    E0001 2:6: expected `{` after `x`, found `1`
while x
    {(error "while x")}
    E0001 3:1: expected `{` after `x`, found `}`
for x xs {}
    {(for x xs {})}
    E0001 2:7: expected `in` after `x`, found `xs`
match x { A 1 }
    {(match x [(A) => 1])}
    E0001 2:13: expected `->` after `A`, found `1`
match x { A -> 1 B -> 2 }
    {(match x [(A) => 1] [(B) => 2])}
    E0001 2:18: expected `,` or `}` after `1`, found `B`
match x { A -> 1; B -> 2 }
    {(match x [(A) => 1] [(B) => 2])}
    E0001 2:17: expected `,` or `}` after `1`, found `;`
else { 1 }
    {(error "else { 1 }")}
    E0001 2:1: expected a statement after `{`, found `else`
\x x
    {(\ (x) x)}
    E0001 2:4: expected `->` after `x`, found `x`
\a b -> a
    {(\ (a b) a)}
    E0001 2:4: expected `->` after `a`, found `b` (help: put several parameters in parentheses: `\(a, b) -> …`)
f(\a, b -> a)
    {(call f (\ (a b) a))}
    E0001 2:5: expected `->` after `a`, found `,` (help: put several parameters in parentheses: `\(a, b) -> …`)
"#
    );
    insta::assert_snapshot!(
        declarations(
            r##"
            fn sum() -> Int { 1 }
            fn f() Int { 1 }
            fn f() -> Int
            rec p { x: Int }
            type A Int
            sum S { a }
            rec R { x: Int y: Int }
            use a.
            external x
            use a.{}
            use a.type
            fn F() -> Int { 1 }
            fn f[t]() -> Int { 1 }
            fn f[]() -> Int { 1 }
            fn f(1: Int) -> Int { 1 }
            fn f(type: Int, y: Int) -> Int { y }
            fn f(mut x: Int) -> Int { x }
            fn f(Int, y: Int) -> Int { y }
            fn f(x: Int = 3, y: Int) -> Int { x }
            fn f((a, b): (Int, Int)) -> Int { a }
            rec R { X: Int, y: Int }
            rec R { "x": Int, y: Int }
            rec R { x: Int; y: Int }
            external fn f(_: Int) -> Int = "f"
            mod M
            external fn f() -> Int
            external fn f() -> Int = x
            fn f() -> Int { 1 } @ fn g() -> Int { 2 }
            @@@
            "##
        ),
        @r#"
fn sum() -> Int { 1 }
    (error "fn sum() -> Int { 1 }")
    E0001 1:4: expected the name of the function after `fn`, found `sum` (help: `sum` is a reserved word and cannot be a name)
fn f() Int { 1 }
    (fn f () -> Int {1})
    E0001 1:8: expected `->` and the result type after `)`, found `Int`
fn f() -> Int
    (error "fn f() -> Int")
    E0001 1:14: expected `{` after `Int`, found the end of the text
rec p { x: Int }
    (error "rec p { x: Int }")
    E0001 1:5: expected the name of the record after `rec`, found `p`
type A Int
    (type A = Int)
    E0001 1:8: expected `=` after `A`, found `Int`
sum S { a }
    (sum S (a))
    E0001 1:9: expected the name of a variant after `{`, found `a` (help: names of variants start with a capital)
rec R { x: Int y: Int }
    (rec R x:Int y:Int)
    E0001 1:16: expected `,` or `}` after `Int`, found `y`
use a.
    (error "use a.")
    E0001 1:7: expected the name of a module or `{` after `.`, found the end of the text
external x
    (error "external x")
    E0001 1:10: expected `fn` or `mod` after `external`, found `x`
use a.{}
    (error "use a.{}")
    E0001 1:8: expected a name after `{`, found `}`
use a.type
    (error "use a.type")
    E0001 1:7: expected the name of a module or `{` after `.`, found `type` (help: `type` is a reserved word and cannot be a name)
fn F() -> Int { 1 }
    (error "fn F() -> Int { 1 }")
    E0001 1:4: expected the name of the function after `fn`, found `F`
fn f[t]() -> Int { 1 }
    (error "fn f[t]() -> Int { 1 }")
    E0001 1:6: expected the name of a type parameter after `[`, found `t`
fn f[]() -> Int { 1 }
    (error "fn f[]() -> Int { 1 }")
    E0001 1:6: expected the name of a type parameter after `[`, found `]`
fn f(1: Int) -> Int { 1 }
    (fn f (1:Int) -> Int {1})
    E0001 1:6: expected the name of a parameter after `(`, found `1`
fn f(type: Int, y: Int) -> Int { y }
    (fn f (type:Int y:Int) -> Int {y})
    E0001 1:6: expected the name of a parameter after `(`, found `type` (help: `type` is a reserved word and cannot be a name)
fn f(mut x: Int) -> Int { x }
    (fn f (x:Int) -> Int {x})
    E0001 1:6: expected the name of a parameter after `(`, found `mut` (help: only a `let` can be `mut`)
fn f(Int, y: Int) -> Int { y }
    (fn f (_:(error "Int") y:Int) -> Int {y})
    E0001 1:6: expected the name of a parameter after `(`, found `Int`
fn f(x: Int = 3, y: Int) -> Int { x }
    (fn f (x:(error "x: Int = 3") y:Int) -> Int {x})
    E0001 1:13: expected `,` or `)` after `Int`, found `=`
fn f((a, b): (Int, Int)) -> Int { a }
    (fn f (a:(error "(a, b): (Int, Int)")) -> Int {a})
    E0001 1:6: expected the name of a parameter after `(`, found `(`
rec R { X: Int, y: Int }
    (rec R X:Int y:Int)
    E0001 1:9: expected the name of a field after `{`, found `X`
rec R { "x": Int, y: Int }
    (rec R _:(error "\"x\": Int") y:Int)
    E0001 1:9: expected the name of a field after `{`, found `"x"`
rec R { x: Int; y: Int }
    (rec R x:Int y:Int)
    E0001 1:15: expected `,` or `}` after `Int`, found `;`
external fn f(_: Int) -> Int = "f"
    (external f (_:Int) -> Int = "f")
    E0001 1:15: expected the name of a parameter after `(`, found `_`
mod M
    (error "mod M")
    E0001 1:5: expected the name of the module after `mod`, found `M`
external fn f() -> Int
    (error "external fn f() -> Int")
    E0001 1:23: expected `=` after `Int`, found the end of the text
external fn f() -> Int = x
    (error "external fn f() -> Int = x")
    E0001 1:26: expected the host's expression in quotes after `=`, found `x`
fn f() -> Int { 1 } @ fn g() -> Int { 2 }
    (fn f () -> Int {1})
    (fn g () -> Int {2})
    E0001 1:21: `@` is not part of the language
@@@
    E0001 1:1: `@@@` is not part of the language
"#
    );
}

/// E0002. A template or multi-line string without an end is given up before the next declaration.
#[test]
fn what_has_no_end_is_e0002() {
    insta::assert_snapshot!(
        bodies(
            r##"
            let x = "abc;
            let x = "a\qb";
            let x = "\u{1}";
            f("abc)
            let x = `abc ${ x;
            let x = `a\qb ${ "\q" }`;
            let x = """abc
            let x = """a\q""";
            let x = "a\
            "a" "b
            /* x /* y */
            "##
        ),
        @r#"
let x = "abc;
    {(let x (error "\"abc;"))}
    E0002 2:9: unterminated string
let x = "a\qb";
    {(let x (error "\"a\\qb\""))}
    E0002 2:11: unknown escape `\q` (help: the escapes are \n \r \t \0 \\ \" \' \` and \$)
let x = "\u{1}";
    {(let x (error "\"\\u{1}\""))}
    E0002 2:10: unknown escape `\u` (help: the escapes are \n \r \t \0 \\ \" \' \` and \$)
f("abc)
    {(call f (error "\"abc)"))}
    E0002 2:3: unterminated string
let x = `abc ${ x;
    {(let x (error "`abc ${ x;\n}"))}
    E0002 2:9: unterminated template
let x = `a\qb ${ "\q" }`;
    {(let x (error "`a\\qb ${ \"\\q\" }`"))}
    E0002 2:11: unknown escape `\q` (help: the escapes are \n \r \t \0 \\ \" \' \` and \$)
    E0002 2:19: unknown escape `\q` (help: the escapes are \n \r \t \0 \\ \" \' \` and \$)
let x = """abc
    {(let x (error "\"\"\"abc\n}"))}
    E0002 2:9: unterminated string
let x = """a\q""";
    {(let x (error "\"\"\"a\\q\"\"\""))}
    E0002 2:13: unknown escape `\q` (help: the escapes are \n \r \t \0 \\ \" \' \` and \$)
let x = "a\
    {(let x (error "\"a\\"))}
    E0002 2:9: unterminated string
"a" "b
    {"a"; (error "\"b")}
    E0002 2:5: unterminated string
/* x /* y */
    {}
    E0002 2:1: unterminated comment
"#
    );
}

/// E0003.
#[test]
fn numbers_that_are_none_are_e0003() {
    insta::assert_snapshot!(
        bodies(
            r##"
            12abc
            1e
            1e+
            1e - 2
            0x
            0b12
            1.5i32
            1e999
            0xFFg
            1_000_i33
            t.0x1
            1λ
            let x = 1 else 2
            "##
        ),
        @r#"
12abc
    {(error "12abc")}
    E0003 2:1: `abc` cannot follow a number directly
1e
    {(error "1e")}
    E0003 2:1: the exponent of this number has no digits
1e+
    {(error "1e+")}
    E0003 2:1: the exponent of this number has no digits
1e - 2
    {(- (error "1e") 2)}
    E0003 2:1: the exponent of this number has no digits
0x
    {(error "0x")}
    E0003 2:1: this number has no digits
0b12
    {(error "0b12")}
    E0003 2:1: `2` cannot follow a number directly
1.5i32
    {(error "1.5i32")}
    E0003 2:1: `i32` cannot follow a number directly
1e999
    {(error "1e999")}
    E0003 2:1: this number is too large for a `Float`
0xFFg
    {(error "0xFFg")}
    E0003 2:1: `g` cannot follow a number directly
1_000_i33
    {(error "1_000_i33")}
    E0003 2:1: `i33` cannot follow a number directly
t.0x1
    {(error "t.0x1")}
    E0003 2:3: `x1` cannot follow a number directly
1λ
    {(error "1λ")}
    E0003 2:1: `λ` cannot follow a number directly
let x = 1 else 2
    {(let x 1) (error "else 2")}
    E0001 2:11: expected a statement after `1`, found `else`
"#
    );
}

/// E0004, with the opening bracket. Indentation tells which brace is meant.
#[test]
fn brackets_without_partners_are_e0004() {
    insta::assert_snapshot!(
        bodies(
            r##"
            f(a
            [1, 2
            if x { 1
            f(a; g(b)
            f(a; g(b; h(c); let = 1;
            f a)
            f a, b)
            x]
            }
            f(g(a; let y = 1;
            match x { A -> { 1, B -> 2 }
            (a}
            [a)
            f(\x -> { g x) })
            return )
            "##
        ),
        @r#"
f(a
    {(call f a)}
    E0004 3:1: `(` is not closed before `}` (2:2: opened here)
[1, 2
    {[1 2]}
    E0004 3:1: `[` is not closed before `}` (2:1: opened here)
if x { 1
    {(if x {1})}
    E0004 4:1: `{` is not closed before `fn` (1:15: opened here)
f(a; g(b)
    {(call f a); (call g b)}
    E0004 2:4: `(` is not closed before `;` (2:2: opened here)
f(a; g(b; h(c); let = 1;
    {(call f a); (call g b); (call h c); (error "let = 1");}
    E0004 2:4: `(` is not closed before `;` (2:2: opened here)
    E0004 2:9: `(` is not closed before `;` (2:7: opened here)
    E0007 2:21: expected a pattern after `let`, found `=`
f a)
    {f; (error "a)")}
    E0004 2:4: unexpected closing bracket `)`
f a, b)
    {f; a; (error ", b)")}
    E0004 2:7: unexpected closing bracket `)`
x]
    {(error "x]")}
    E0004 2:2: unexpected closing bracket `]`
}
    {}
    E0004 3:1: unexpected closing bracket `}`
f(g(a; let y = 1;
    {(call f (call g a)); (let y 1)}
    E0004 2:6: `(` and another bracket are not closed before `;` (2:4: opened here)
match x { A -> { 1, B -> 2 }
    {(match x [(A) => {1; (error ", B -> 2")}])}
    E0004 4:1: `{` is not closed before `fn` (1:15: opened here)
(a}
    {a}
    E0004 2:3: `(` is not closed before `}` (2:1: opened here)
[a)
    {(error "[a)")}
    E0004 3:1: `[` is not closed before `}` (2:1: opened here)
f(\x -> { g x) })
    {(call f (\ (x) {g; (error "x)")}))}
    E0004 2:14: unexpected closing bracket `)`
return )
    {(error "return )")}
    E0004 2:8: unexpected closing bracket `)`
"#
    );
    insta::assert_snapshot!(
        declarations(
            r##"
            fn f(x: Int -> Int { x };;fn g() -> Int { 1 }
            } fn f() -> Int { 1 }
            fn f() -> Int {;;  if x {;;    1;;  while y {;;    2;;  };;};;fn g() -> Int { 1 }
            fn f() -> Int x };;fn g() -> Int { 1 }
            rec R { x: Int;;fn f() -> Int { 1 }
            external mod m = "x" { fn f(x: Int -> Int;;fn g() -> Int };;fn h() -> Int { 1 }
            )]}
            "##
        ),
        @r#"
fn f(x: Int -> Int { x };;fn g() -> Int { 1 }
    (error "fn f(x: Int -> Int { x }")
    (fn g () -> Int {1})
    E0004 2:1: `(` is not closed before `fn` (1:5: opened here)
} fn f() -> Int { 1 }
    (fn f () -> Int {1})
    E0004 1:1: unexpected closing bracket `}`
fn f() -> Int {;;  if x {;;    1;;  while y {;;    2;;  };;};;fn g() -> Int { 1 }
    (fn f () -> Int {(if x {1; (while y {2})})})
    (fn g () -> Int {1})
    E0004 8:1: `{` is not closed before `fn` (2:8: opened here)
fn f() -> Int x };;fn g() -> Int { 1 }
    (error "fn f() -> Int x")
    (fn g () -> Int {1})
    E0001 1:15: expected `{` after `Int`, found `x`
rec R { x: Int;;fn f() -> Int { 1 }
    (rec R x:Int)
    (fn f () -> Int {1})
    E0004 2:1: `{` is not closed before `fn` (1:7: opened here)
external mod m = "x" { fn f(x: Int -> Int;;fn g() -> Int };;fn h() -> Int { 1 }
    (external-mod m "x" (external f (x:(error "x: Int -> Int")) -> (error "") = "f") (external g () -> Int = "g"))
    (fn h () -> Int {1})
    E0004 2:1: `(` is not closed before `fn` (1:28: opened here)
)]}
    E0004 1:1: unexpected closing bracket `)`
"#
    );
}

/// E0005.
#[test]
fn missing_expressions_are_e0005() {
    insta::assert_snapshot!(
        bodies(
            r##"
            1 +
            let x = ;
            f(a, , b)
            a[]
            -
            \x ->
            match { A -> 1 }
            if { 1 }
            x = ;
            match x { A -> , B -> 2 }
            `a ${} b`
            `a ${b +} c ${d}`
            `${(}`
            * 2
            { x: }
            match x { A if -> 1 }
            let x = let y = 2;
            f(+)
            for x in { 1 }
            match x { None -> return, Some(y) -> y }
            match x { None -> break, Some(y) -> y }
            "##
        ),
        @r#"
1 +
    {(error "1 +")}
    E0005 3:1: expected an expression after `+`, found `}`
let x = ;
    {(let x (error ""))}
    E0005 2:9: expected an expression after `=`, found `;`
f(a, , b)
    {(call f a (error "") b)}
    E0005 2:6: expected an expression after `,`, found `,`
a[]
    {(error "a[]")}
    E0005 2:3: expected an expression after `[`, found `]`
-
    {(error "-")}
    E0005 3:1: expected an expression after `-`, found `}`
\x ->
    {(error "\\x ->")}
    E0005 3:1: expected an expression after `->`, found `}`
match { A -> 1 }
    {(match (error "") [(A) => 1])}
    E0005 2:7: expected an expression after `match`, found `{`
if { 1 }
    {(if (error "") {1})}
    E0005 2:4: expected an expression after `if`, found `{`
x = ;
    {(error "x =");}
    E0005 2:5: expected an expression after `=`, found `;`
match x { A -> , B -> 2 }
    {(match x [(A) => (error "")] [(B) => 2])}
    E0005 2:16: expected an expression after `->`, found `,`
`a ${} b`
    {(template "a " (error "") " b")}
    E0005 2:6: expected an expression, found `}`
`a ${b +} c ${d}`
    {(template "a " (error "b +") " c " d)}
    E0005 2:9: expected an expression after `+`, found `}`
`${(}`
    {(template ())}
    E0004 2:5: `(` is not closed before the end of the text (2:4: opened here)
* 2
    {(error "* 2")}
    E0005 2:1: expected an expression after `{`, found `*`
{ x: }
    {(record x=(error ""))}
    E0005 2:6: expected an expression after `:`, found `}`
match x { A if -> 1 }
    {(match x [(A) if (error "") => 1])}
    E0005 2:16: expected an expression after `if`, found `->`
let x = let y = 2;
    {(let x (error "")) (let y 2)}
    E0005 2:9: expected an expression after `=`, found `let` (help: a statement goes into a block: `{ let … }`)
f(+)
    {(call f (error "+"))}
    E0005 2:3: expected an expression after `(`, found `+`
for x in { 1 }
    {(for x (error "") {1})}
    E0005 2:10: expected an expression after `in`, found `{`
match x { None -> return, Some(y) -> y }
    {(match x [(None) => (error "return")] [(Some y) => y])}
    E0005 2:19: expected an expression after `->`, found `return` (help: a statement goes into a block: `{ return … }`)
match x { None -> break, Some(y) -> y }
    {(match x [(None) => (error "break")] [(Some y) => y])}
    E0005 2:19: expected an expression after `->`, found `break` (help: a statement goes into a block: `{ break }`)
"#
    );
    insta::assert_snapshot!(
        declarations(
            r##"
            fn f() -> Int pre { 1 }
            "##
        ),
        @r#"
fn f() -> Int pre { 1 }
    (fn f () -> Int pre (error "") {1})
    E0005 1:19: expected an expression after `pre`, found `{`
"#
    );
}

/// E0006.
#[test]
fn missing_types_are_e0006() {
    insta::assert_snapshot!(
        bodies(
            r##"
            let x: = 1;
            let x: int = 1;
            \(x: ) -> x
            "##
        ),
        @r#"
let x: = 1;
    {(let x : (error "") 1)}
    E0006 2:8: expected a type after `:`, found `=`
let x: int = 1;
    {(let x : (error "int") 1)}
    E0006 2:8: expected a type after `:`, found `int` (help: names of types start with a capital)
\(x: ) -> x
    {(\ (x : (error "")) x)}
    E0006 2:6: expected a type after `:`, found `)`
"#
    );
    insta::assert_snapshot!(
        declarations(
            r##"
            fn f(x) -> Int { 1 }
            fn f() { 1 }
            fn f() -> { 1 }
            type A =
            fn f(x: ) -> Int { x }
            sum S { A(,) }
            fn f() -> IO + { 1 }
            rec R { x }
            type A = [ ]
            type A = Map[]
            fn f(x: Int, y: fn) -> Int { 1 }
            "##
        ),
        @r#"
fn f(x) -> Int { 1 }
    (fn f (x:(error "")) -> Int {1})
    E0006 1:7: expected `:` and a type after `x`, found `)`
fn f() { 1 }
    (fn f () -> (error "") {1})
    E0006 1:8: expected `->` and the result type after `)`, found `{`
fn f() -> { 1 }
    (fn f () -> (error "") {1})
    E0006 1:11: expected a type after `->`, found `{`
type A =
    (type A = (error ""))
    E0006 1:9: expected a type after `=`, found the end of the text
fn f(x: ) -> Int { x }
    (fn f (x:(error "")) -> Int {x})
    E0006 1:9: expected a type after `:`, found `)`
sum S { A(,) }
    (sum S (A (error "")))
    E0006 1:11: expected a type after `(`, found `,`
fn f() -> IO + { 1 }
    (fn f () -> (error "IO +") {1})
    E0006 1:16: expected a type after `+`, found `{`
rec R { x }
    (rec R x:(error ""))
    E0006 1:11: expected `:` and a type after `x`, found `}`
type A = [ ]
    (type A = (error "[ ]"))
    E0006 1:12: expected a type after `[`, found `]`
type A = Map[]
    (type A = (error "Map[]"))
    E0006 1:14: expected a type after `[`, found `]`
fn f(x: Int, y: fn) -> Int { 1 }
    (fn f (x:Int y:(error "fn")) -> Int {1})
    E0006 1:17: expected a type after `:`, found `fn`
"#
    );
}

/// E0007.
#[test]
fn missing_patterns_are_e0007() {
    insta::assert_snapshot!(
        bodies(
            r##"
            let = 1;
            for in xs {}
            match x { -> 1, B -> 2 }
            match x { A(+) -> 1 }
            let fn = 1;
            match x { - -> 1 }
            match x { a.b -> 1 }
            "##
        ),
        @r#"
let = 1;
    {(error "let = 1");}
    E0007 2:5: expected a pattern after `let`, found `=`
for in xs {}
    {(error "for in xs {}")}
    E0007 2:5: expected a pattern after `for`, found `in`
match x { -> 1, B -> 2 }
    {(match x [(error "") => 1] [(B) => 2])}
    E0007 2:11: expected a pattern after `{`, found `->`
match x { A(+) -> 1 }
    {(match x [(A (error "+")) => 1])}
    E0007 2:13: expected a pattern after `(`, found `+`
let fn = 1;
    {(error "let fn = 1");}
    E0007 2:5: expected a pattern after `let`, found `fn` (help: `fn` is a reserved word and cannot be a name)
match x { - -> 1 }
    {(match x [(error "-") => 1])}
    E0007 2:13: expected a number after `-`, found `->`
match x { a.b -> 1 }
    {(match x [(error "a.b") => 1])}
    E0007 2:13: expected the name of a variant after `.`, found `b`
"#
    );
}

/// E0008.
#[test]
fn what_is_no_declaration_is_e0008() {
    insta::assert_snapshot!(
        declarations(
            r##"
            let x = 1;;fn f() -> Int { 1 }
            fn f() -> Int { 1 } x
            fn f() -> Int { 1 } ;;; fn g() -> Int { 2 }
            1 + 2
            js
            external mod m = "x" { let x = 1;; fn f() -> Int }
            fn f() -> Int{x} { y }
            "##
        ),
        @r#"
let x = 1;;fn f() -> Int { 1 }
    (error "let x = 1")
    (fn f () -> Int {1})
    E0008 1:1: expected a declaration, found `let` (help: a declaration starts with `fn`, `type`, `rec`, `sum`, `mod`, `use` or `external`)
fn f() -> Int { 1 } x
    (fn f () -> Int {1})
    (error "x")
    E0008 1:21: expected a declaration after `}`, found `x` (help: a declaration starts with `fn`, `type`, `rec`, `sum`, `mod`, `use` or `external`)
fn f() -> Int { 1 } ;;; fn g() -> Int { 2 }
    (fn f () -> Int {1})
    (error ";")
    (fn g () -> Int {2})
    E0008 2:1: expected a declaration after `}`, found `;` (help: a declaration starts with `fn`, `type`, `rec`, `sum`, `mod`, `use` or `external`)
1 + 2
    (error "1 + 2")
    E0008 1:1: expected a declaration, found `1` (help: a declaration starts with `fn`, `type`, `rec`, `sum`, `mod`, `use` or `external`)
js
    (error "js")
    E0008 1:1: expected a declaration, found `js` (help: a declaration starts with `fn`, `type`, `rec`, `sum`, `mod`, `use` or `external`)
external mod m = "x" { let x = 1;; fn f() -> Int }
    (external-mod m "x" (error "let x = 1") (external f () -> Int = "f"))
    E0008 1:24: expected `fn` after `{`, found `let`
fn f() -> Int{x} { y }
    (fn f () -> Int {x})
    (error "{ y }")
    E0008 1:18: expected a declaration after `}`, found `{` (help: put a refined result type in parentheses)
"#
    );
}

/// E0009; row 41: not in heads.
#[test]
fn malformed_record_literals_are_e0009() {
    insta::assert_snapshot!(
        bodies(
            r##"
            P { 1 }
            P { x 1 }
            P { x: 1 y: 2 }
            P { x }
            { x: 1, 2 }
            P { X: 1 }
            if P { x: 1 } == p { 1 }
            while m.P { x: 1 } == p { 1 }
            match P { x: 1 } { p -> 1 }
            for p in P { x: 1 } { 2 }
            "##
        ),
        @r#"
P { 1 }
    {(error "P { 1 }")}
    E0009 2:5: expected the name of a field after `{`, found `1`
P { x 1 }
    {(P{} x=1)}
    E0009 2:7: expected `:` and the value of the field after `x`, found `1`
P { x: 1 y: 2 }
    {(P{} x=1 y=2)}
    E0009 2:10: expected `,` or `}` after `1`, found `y`
P { x }
    {(error "P { x }")}
    E0009 2:7: expected `:` and the value of the field after `x`, found `}`
{ x: 1, 2 }
    {(error "{ x: 1, 2 }")}
    E0009 2:9: expected the name of a field after `,`, found `2`
P { X: 1 }
    {(error "P { X: 1 }")}
    E0009 2:5: expected the name of a field after `{`, found `X`
if P { x: 1 } == p { 1 }
    {(if (== (P{} x=1) p) {1})}
    E0009 2:4: the record literal `P { … }` is not allowed here, where a block follows (help: put it in parentheses)
while m.P { x: 1 } == p { 1 }
    {(while (== (m.P{} x=1) p) {1})}
    E0009 2:7: the record literal `m.P { … }` is not allowed here, where a block follows (help: put it in parentheses)
match P { x: 1 } { p -> 1 }
    {(match (P{} x=1) [p => 1])}
    E0009 2:7: the record literal `P { … }` is not allowed here, where a block follows (help: put it in parentheses)
for p in P { x: 1 } { 2 }
    {(for p (P{} x=1) {2})}
    E0009 2:10: the record literal `P { … }` is not allowed here, where a block follows (help: put it in parentheses)
"#
    );
    insta::assert_snapshot!(
        declarations(
            r##"
            fn f() -> Int pre P { x: 1 } == p { 1 }
            "##
        ),
        @r#"
fn f() -> Int pre P { x: 1 } == p { 1 }
    (fn f () -> Int pre (== (P{} x=1) p) {1})
    E0009 1:19: the record literal `P { … }` is not allowed here, where a block follows (help: put it in parentheses)
"#
    );
}

/// One error for each of several mistakes, and what is good is read.
#[test]
fn every_mistake_is_reported() {
    insta::assert_snapshot!(
        dump(
            r##"type A =
rec p {}
fn f(x: Int) -> Int {
  let a = ;
  let b = f(1, , 2);
  let c = 12ab;
  match a { A -> , B -> 3 }
}
fn g() -> Int { 1 + }
fn h() -> Int { (1 }
fn ok() -> Int { 1 }"##
        ),
        @r#"
(type A = (error ""))
(error "rec p {}")
(fn f (x:Int) -> Int {(let a (error "")) (let b (call f 1 (error "") 2)) (let c (error "12ab")) (match a [(A) => (error "")] [(B) => 3])})
(fn g () -> Int {(error "1 +")})
(fn h () -> Int {1})
(fn ok () -> Int {1})
E0006 2:1: expected a type after `=`, found `rec`
E0001 2:5: expected the name of the record after `rec`, found `p`
E0005 4:11: expected an expression after `=`, found `;`
E0005 5:16: expected an expression after `,`, found `,`
E0003 6:11: `ab` cannot follow a number directly
E0005 7:18: expected an expression after `->`, found `,`
E0005 9:21: expected an expression after `+`, found `}`
E0004 10:20: `(` is not closed before `}` (10:17: opened here)
"#
    );
}
