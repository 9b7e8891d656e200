//! What texts mean, as trees, and what is wrong with the others.

use super::dump::{dump, node};
use crate::ast::{Builder, NodeId, Source};
use crate::{Fragment, Span, is_type_name, is_value_name, parse, parse_fragment};

/// Each line of `text` with what it is as a fragment.
fn each(text: &str, as_what: Fragment) -> String {
    let lines = text.trim().lines().map(str::trim);
    lines.map(|line| format!("{line}  =>  {}\n", fragment(line, as_what))).collect()
}

fn fragment(text: &str, as_what: Fragment) -> String {
    let mut builder = Builder::new(Source { file: "test".into(), text: String::new() });
    match parse_fragment(&mut builder, "fragment", text, as_what) {
        Ok(id) => {
            let ast = builder.finish(Vec::new(), Span::default()).unwrap();
            node(&ast, id)
        }
        Err(errors) => {
            assert!(builder.is_empty(), "nothing is left over of {text}");
            let errors: Vec<String> =
                errors.iter().map(|it| format!("{} {}", it.code.name(), it.message)).collect();
            errors.join("; ")
        }
    }
}

/// Which operator binds stronger, and to which side; row 21 for ranges.
#[test]
fn operators_bind_as_in_the_table() {
    insta::assert_snapshot!(each(
        r#"
            1 + 2 * 3 - 4
            a ^ b ^ c
            -2 ^ 2
            2 ^ -3 ^ x
            (a + b) * c
            - - !x
            a < b < c
            a == b != c
            a || b && c == d < e ++ f + g * h ^ i
            a |> f |> \x -> x + 1 |> g
            a..b + 1
            a + 1..=len(b) - 1
            a..b == c
            λx → x ≤ 1 ∧ ¬y ∨ z ≠ 2 ∧ w ≥ 3
        "#,
        Fragment::Expr,
    ), @r#"
1 + 2 * 3 - 4  =>  (- (+ 1 (* 2 3)) 4)
a ^ b ^ c  =>  (^ a (^ b c))
-2 ^ 2  =>  (^ (- 2) 2)
2 ^ -3 ^ x  =>  (^ 2 (^ (- 3) x))
(a + b) * c  =>  (* (+ a b) c)
- - !x  =>  (- (- (! x)))
a < b < c  =>  (< (< a b) c)
a == b != c  =>  (!= (== a b) c)
a || b && c == d < e ++ f + g * h ^ i  =>  (|| a (&& b (== c (< d (++ e (+ f (* g (^ h i))))))))
a |> f |> \x -> x + 1 |> g  =>  (|> (|> a f) (\ (x) (|> (+ x 1) g)))
a..b + 1  =>  (.. a (+ b 1))
a + 1..=len(b) - 1  =>  (..= (+ a 1) (- (call len b) 1))
a..b == c  =>  (== (.. a b) c)
λx → x ≤ 1 ∧ ¬y ∨ z ≠ 2 ∧ w ≥ 3  =>  (\ (x) (|| (&& (<= x 1) (! y)) (&& (!= z 2) (>= w 3))))
"#);
}

/// Rows 50 and 51: `t.0` reaches a tuple, `m.f` a module.
#[test]
fn operands_take_calls_fields_and_indices() {
    insta::assert_snapshot!(each(
        r#"
            f(x, y,)[1]?.z
            f()()
            t.0.1
            t.0
            (1, 2).1
            f(x).0
            xs[0].1
            x?.0
            m.f(1)
            m.Some(1)
            { a }(1)
            1 .5
            t.0x1
        "#,
        Fragment::Expr,
    ), @r#"
f(x, y,)[1]?.z  =>  (. (? (index (call f x y) 1)) z)
f()()  =>  (call (call f))
t.0.1  =>  (. (. t 0) 1)
t.0  =>  (. t 0)
(1, 2).1  =>  (. (tuple 1 2) 1)
f(x).0  =>  (. (call f x) 0)
xs[0].1  =>  (. (index xs 0) 1)
x?.0  =>  (. (? x) 0)
m.f(1)  =>  (call (. m f) 1)
m.Some(1)  =>  (call (. m Some) 1)
{ a }(1)  =>  (call {a} 1)
1 .5  =>  E0001 expected the end of the text after `1`, found `.5`
t.0x1  =>  E0003 `x1` cannot follow a number directly
"#);
}

/// Row 21 for records, ranges and holes, row 41 for record literals.
#[test]
fn operands() {
    insta::assert_snapshot!(each(
        r#"
            ()
            (x)
            ((x))
            (1,)
            (1, 2)
            []
            [1, 2,]
            Int(3)
            P { x: 1, y: 2, }
            P {}
            m.P { x: 1 }
            ℤ { x: 1 }
            { x: 1 }
            { x: { y: 1 } }
            {}
            { x }
            { x; }
            { x; y }
            \x -> x
            \(a, b: Int, _) -> a
            \ -> 1
            \() -> 1
            \_ -> 1
            _
            ?name
            f(?a, _)
        "#,
        Fragment::Expr,
    ), @r#"
()  =>  ()
(x)  =>  x
((x))  =>  x
(1,)  =>  (tuple 1)
(1, 2)  =>  (tuple 1 2)
[]  =>  []
[1, 2,]  =>  [1 2]
Int(3)  =>  (call Int 3)
P { x: 1, y: 2, }  =>  (P{} x=1 y=2)
P {}  =>  (P{})
m.P { x: 1 }  =>  (m.P{} x=1)
ℤ { x: 1 }  =>  (Int{} x=1)
{ x: 1 }  =>  (record x=1)
{ x: { y: 1 } }  =>  (record x=(record y=1))
{}  =>  {}
{ x }  =>  {x}
{ x; }  =>  {x;}
{ x; y }  =>  {x; y}
\x -> x  =>  (\ (x) x)
\(a, b: Int, _) -> a  =>  (\ (a b : Int _) a)
\ -> 1  =>  (\ () 1)
\() -> 1  =>  (\ () 1)
\_ -> 1  =>  (\ (_) 1)
_  =>  (hole _)
?name  =>  (hole name)
f(?a, _)  =>  (call f (hole a) (hole _))
"#);
}

#[test]
fn literals() {
    insta::assert_snapshot!(each(
        r#"
            0
            1_000_000
            0xFF
            0B1010
            12i32
            0x10i64
            123456789012345678901234567890
            1.5
            .5
            1e3
            1.5E-3
            "a\n\r\t\\\"\'\0\`\$b"
            ""
            """a "quoted" \n text"""
            true
            `plain`
            ``
            `${x}`
            `a ${x + 1} b ${`n ${y}`} \n \${z} $ {w}`
            `${ { a: "}" }.a /* } */ }`
            `é ${x} ü`
        "#,
        Fragment::Expr,
    ), @r#"
0  =>  0
1_000_000  =>  1000000
0xFF  =>  255
0B1010  =>  10
12i32  =>  12i32
0x10i64  =>  16i64
123456789012345678901234567890  =>  123456789012345678901234567890
1.5  =>  1.5
.5  =>  0.5
1e3  =>  1000.0
1.5E-3  =>  0.0015
"a\n\r\t\\\"\'\0\`\$b"  =>  "a\n\r\t\\\"'\0`$b"
""  =>  ""
"""a "quoted" \n text"""  =>  "a \"quoted\" \n text"
true  =>  true
`plain`  =>  (template "plain")
``  =>  (template)
`${x}`  =>  (template x)
`a ${x + 1} b ${`n ${y}`} \n \${z} $ {w}`  =>  (template "a " (+ x 1) " b " (template "n " y) " \n ${z} $ {w}")
`${ { a: "}" }.a /* } */ }`  =>  (template (. (record a="}") a))
`é ${x} ü`  =>  (template "é " x " ü")
"#);
}

/// Row 41: in a head `Name {` is a name and a block.
#[test]
fn heads_end_at_their_block() {
    insta::assert_snapshot!(each(
        r#"
            if a { 1 } else if b { 2 } else { 3 }
            if A { 1 }
            if m.A { 1 }
            if (P { x: 1 }) == p { 1 }
            if f(P { x: 1 }) { 1 }
            if a { 1 } else { 2 } + 3
            if { a } { b }
            match A { A -> 1 }
            match x {}
            match x { A -> 1, }
            if P { x: 1 } == p { 2 } else { 3 }
        "#,
        Fragment::Expr,
    ), @r#"
if a { 1 } else if b { 2 } else { 3 }  =>  (if a {1} else (if b {2} else {3}))
if A { 1 }  =>  (if A {1})
if m.A { 1 }  =>  (if (. m A) {1})
if (P { x: 1 }) == p { 1 }  =>  (if (== (P{} x=1) p) {1})
if f(P { x: 1 }) { 1 }  =>  (if (call f (P{} x=1)) {1})
if a { 1 } else { 2 } + 3  =>  (+ (if a {1} else {2}) 3)
if { a } { b }  =>  (if {a} {b})
match A { A -> 1 }  =>  (match A [(A) => 1])
match x {}  =>  (match x)
match x { A -> 1, }  =>  (match x [(A) => 1])
if P { x: 1 } == p { 2 } else { 3 }  =>  E0009 the record literal `P { … }` is not allowed here, where a block follows
"#);
}

/// Row 21: negative, float and unit patterns.
#[test]
fn patterns() {
    insta::assert_snapshot!(each(
        r#"
            _
            x
            _x
            1
            -1
            -2.5
            1i32
            "s"
            true
            ()
            (p)
            (p,)
            (p, q)
            A
            A()
            A(x, _)
            m.A(B(1), C)
            Int(x)
            {}
            { x, y: A(z), }
            -x
            +
            let
            A(x y)
            m.a
        "#,
        Fragment::Pattern,
    ), @r#"
_  =>  _
x  =>  x
_x  =>  _x
1  =>  1
-1  =>  -1
-2.5  =>  -2.5
1i32  =>  1i32
"s"  =>  "s"
true  =>  true
()  =>  ()
(p)  =>  p
(p,)  =>  (tuple p)
(p, q)  =>  (tuple p q)
A  =>  (A)
A()  =>  (A)
A(x, _)  =>  (A x _)
m.A(B(1), C)  =>  (m.A (B 1) (C))
Int(x)  =>  (Int x)
{}  =>  (record)
{ x, y: A(z), }  =>  (record x y : (A z))
-x  =>  E0007 expected a number after `-`, found `x`
+  =>  E0007 expected a pattern, found `+`
let  =>  E0007 expected a pattern, found `let`
A(x y)  =>  E0001 expected `,` or `)` after `x`, found `y`
m.a  =>  E0007 expected the name of a variant after `.`, found `a`
"#);
}

/// Row 4 and row 39 for effects, row 21 for record types.
#[test]
fn types() {
    insta::assert_snapshot!(each(
        r#"
            Int
            ℤ
            ℤ32
            ℝ?
            never
            m.T[Int]
            Map[Str, [Int]]
            ()
            (Int)
            (Int,)
            (Int, Str)
            [Int]
            () -> Int
            (Int) -> (Str) -> Bool
            (A) -> IO + B
            IO + Err[E] + T
            IO + (A) -> B
            Int{x > 0}
            Int{v | v > 0}
            [Int]{len(xs) > 0}?
            (Int, Int){true}
            Int?{x}
            { x: Int }
            { x: Int, y: Str, }
            { x: Int, .. }
            { .. }
            {}
            { x: Int }{x > 0}
            Int{P { x: 1 } == p}
            int
            Map[]
            m.x
        "#,
        Fragment::Type,
    ), @r#"
Int  =>  Int
ℤ  =>  Int
ℤ32  =>  Int32
ℝ?  =>  Option[Float]
never  =>  never
m.T[Int]  =>  m.T[Int]
Map[Str, [Int]]  =>  Map[Str [Int]]
()  =>  Unit
(Int)  =>  Int
(Int,)  =>  (tuple Int)
(Int, Str)  =>  (tuple Int Str)
[Int]  =>  [Int]
() -> Int  =>  (() -> Int)
(Int) -> (Str) -> Bool  =>  ((Int) -> ((Str) -> Bool))
(A) -> IO + B  =>  ((A) -> (+ IO B))
IO + Err[E] + T  =>  (+ IO Err[E] T)
IO + (A) -> B  =>  (+ IO ((A) -> B))
Int{x > 0}  =>  Int{|(> x 0)}
Int{v | v > 0}  =>  Int{v|(> v 0)}
[Int]{len(xs) > 0}?  =>  Option[[Int]{|(> (call len xs) 0)}]
(Int, Int){true}  =>  (tuple Int Int){|true}
Int?{x}  =>  Option[Int]{|x}
{ x: Int }  =>  (record x:Int)
{ x: Int, y: Str, }  =>  (record x:Int y:Str)
{ x: Int, .. }  =>  (record x:Int ..)
{ .. }  =>  (record ..)
{}  =>  (record)
{ x: Int }{x > 0}  =>  (record x:Int){|(> x 0)}
Int{P { x: 1 } == p}  =>  Int{|(== (P{} x=1) p)}
int  =>  E0006 expected a type, found `int`
Map[]  =>  E0006 expected a type after `[`, found `]`
m.x  =>  E0006 expected the name of a type after `.`, found `x`
"#);
}

/// Statements, assignments and how they end.
#[test]
fn statements() {
    insta::assert_snapshot!(each(
        r#"
            let x = 1
            let mut (a, b): (Int, Int) = p;
            let _ = { let y = 1; y };
            x = 1
            xs[0].y = 2;
            f() = 1
            f();
            for (a, b) in 0..10 { f(a) }
            while x < 1 { break; }
            loop { continue }
            return
            return;
            return x
            assert x > 0
            assert x > 0 : "positive"
            return return
            let = 1
            f() g()
        "#,
        Fragment::Stmt,
    ), @r#"
let x = 1  =>  (let x 1)
let mut (a, b): (Int, Int) = p;  =>  (let mut (tuple a b) : (tuple Int Int) p)
let _ = { let y = 1; y };  =>  (let _ {(let y 1) y})
x = 1  =>  (= x 1)
xs[0].y = 2;  =>  (= (. (index xs 0) y) 2)
f() = 1  =>  (= (call f) 1)
f();  =>  (call f);
for (a, b) in 0..10 { f(a) }  =>  (for (tuple a b) (.. 0 10) {(call f a)})
while x < 1 { break; }  =>  (while (< x 1) {break})
loop { continue }  =>  (loop {continue})
return  =>  (return)
return;  =>  (return)
return x  =>  (return x)
assert x > 0  =>  (assert (> x 0) "")
assert x > 0 : "positive"  =>  (assert (> x 0) "positive")
return return  =>  E0005 expected an expression after `return`, found `return`
let = 1  =>  E0007 expected a pattern after `let`, found `=`
f() g()  =>  E0001 expected the end of the text after `)`, found `g`
"#);
}

#[test]
fn a_block_fragment_has_braces_or_not() {
    insta::assert_snapshot!(each(
        r#"
            { 1 }
            1
            let x = 1; x
            { 1 }; { 2 }
            { x: 1 }
            {}
            
            ;;
        "#,
        Fragment::Block,
    ), @r#"
{ 1 }  =>  {1}
1  =>  {1}
let x = 1; x  =>  {(let x 1) x}
{ 1 }; { 2 }  =>  {{1}; {2}}
{ x: 1 }  =>  {(record x=1)}
{}  =>  {}
  =>  {}
;;  =>  {}
"#);
}

/// A line break ends nothing: what can go on does.
#[test]
fn statements_need_no_separators() {
    insta::assert_snapshot!(dump(
        r#"fn f() -> Int {
  a
  -b
  let x = 1 let y = 2
  if c {}
  [1]
  return
  x
}
fn g() -> Unit { x; }"#
    ), @r#"
(fn f () -> Int {(- a b); (let x 1) (let y 2) (index (if c {}) 1); (return x)})
(fn g () -> Unit {x;})
"#);
}

/// Rows 16 and 50 for imports.
#[test]
fn declarations() {
    insta::assert_snapshot!(dump(
        r#"mod shop
use a.b.c
use a.B.{f, T,}
use a.b as c
use external "m"
use external "m" as n
use external "m" as _
type A = Int
type Pair[T, U: Show] = (T, U)
rec R {}
rec P[T] { x: T, y: Int{y > 0} }
sum S { A, Int, B(Int, n: Str,), C() }
external fn max[T](a: T, b: T) -> T = "Math.max"
external fn now() -> IO + Int{v | v > 0} = "Date.now"
external mod p = "node:path" { fn join(a: Str) -> Str fn sep() -> Str }
fn f[T](x: T, y: Int,) -> IO + T pre x > 0 post A { x }
ƒ g() → (Int{result > 0}) { 1 }"#
    ), @r#"
(mod shop)
(use "a.b.c" "" "")
(use "a.B" "f,T" "")
(use "a.b" "" "c")
(use external "m" "" "")
(use external "m" "" "n")
(use external "m" "" "_")
(type A = Int)
(type Pair[T U : Show] = (tuple T U))
(rec R)
(rec P[T] x:T y:Int{|(> y 0)})
(sum S (A) (Int) (B Int n:Str) (C))
(external max[T] (a:T b:T) -> T = "Math.max")
(external now () -> (+ IO Int{v|(> v 0)}) = "Date.now")
(external-mod p "node:path" (external join (a:Str) -> Str = "join") (external sep () -> Str = "sep"))
(fn f[T] (x:T y:Int) -> (+ IO T) pre (> x 0) post A {x})
(fn g () -> Int{|(> result 0)} {1})
"#);
}

/// The body begins at the first brace that no type can go on with.
#[test]
fn a_result_type_does_not_swallow_the_body() {
    insta::assert_snapshot!(dump(
        r#"fn f() -> (Int) -> Int { \x -> x }
fn g() -> IO + (Int) -> IO + [Int] { a }
fn h() -> { x: Int } { { x: 1 } }
fn i() -> Int? { None }
fn j() -> () {}
fn k() -> (A) -> Int{x} { y }"#
    ), @r#"
(fn f () -> ((Int) -> Int) {(\ (x) x)})
(fn g () -> (+ IO ((Int) -> (+ IO [Int]))) {a})
(fn h () -> (record x:Int) {(record x=1)})
(fn i () -> Option[Int] {None})
(fn j () -> Unit {})
(fn k () -> ((A) -> Int) {x})
(error "{ y }")
E0008 6:25: expected a declaration after `}`, found `{` (help: put a refined result type in parentheses)
"#);
}

#[test]
fn the_worked_example() {
    insta::assert_snapshot!(dump(
        r#"sum Light { Red, Amber(secs: Int), Green }
fn wait(l: Light) -> Int { match l { Red -> 30, Amber(s) -> s, Green -> 0 } }
fn half(n: Int{n >= 2}) -> (Int{result >= 1}) { n - 1 }
fn main() -> IO + Unit { println(to_string(wait(Amber(half(5))))) }"#
    ), @r#"
(sum Light (Red) (Amber secs:Int) (Green))
(fn wait (l:Light) -> Int {(match l [(Red) => 30] [(Amber s) => s] [(Green) => 0])})
(fn half (n:Int{|(>= n 2)}) -> Int{|(>= result 1)} {(- n 1)})
(fn main () -> (+ IO Unit) {(call println (call to_string (call wait (call Amber (call half 5)))))})
"#);
}

/// Ids count in the order of the text: `hh` is n5. Row 47: parameters have ids after all others.
#[test]
fn nodes_are_numbered_in_the_order_of_their_ends() {
    let parsed = parse("test.clank", "fn area(w: Int, h: Int) -> Int { w * hh }");
    let ast = &parsed.ast;
    let text = |id: &str| ast.text(ast.ids().node(id).unwrap());
    assert_eq!(text("n4"), "w");
    assert_eq!(text("n5"), "hh");
    assert_eq!(text("n8"), "fn area(w: Int, h: Int) -> Int { w * hh }");
    assert_eq!(text("n10"), "w: Int");
}

/// A node's bytes are its own: no grouping parentheses around it, but those around its parts.
#[test]
fn spans_leave_out_grouping() {
    let parsed = parse("test.clank", "fn f() -> ((Int)) { ((a + b)) * (c) }");
    let texts: Vec<&str> =
        (0..parsed.ast.nodes().len()).map(|it| parsed.ast.text(NodeId(it as u32))).collect();
    insta::assert_snapshot!(texts.join("\n"), @r#"
Int
a
b
a + b
c
((a + b)) * (c)
{ ((a + b)) * (c) }
fn f() -> ((Int)) { ((a + b)) * (c) }
fn f() -> ((Int)) { ((a + b)) * (c) }
"#);
}

/// A fragment in a template has its place in the file.
#[test]
fn spans_in_templates_are_in_the_file() {
    let parsed = parse("test.clank", "fn f() -> Str { `é ${a + `${b}`}` }");
    let texts: Vec<&str> =
        (0..parsed.ast.nodes().len()).map(|it| parsed.ast.text(NodeId(it as u32))).collect();
    insta::assert_snapshot!(texts.join("\n"), @r#"
Str
a
b
`${b}`
a + `${b}`
`é ${a + `${b}`}`
{ `é ${a + `${b}`}` }
fn f() -> Str { `é ${a + `${b}`}` }
fn f() -> Str { `é ${a + `${b}`}` }
"#);
}

#[test]
fn names_are_legal_or_not() {
    for name in ["x", "_x", "__", "aλ", "éa", "as", "int", "x1"] {
        assert!(is_value_name(name) && !is_type_name(name), "{name}");
    }
    for name in ["X", "Int", "Éa", "Xλ", "X_1"] {
        assert!(is_type_name(name) && !is_value_name(name), "{name}");
    }
    for name in ["", "_", "fn", "sum", "js", "λa", "1x", "a b", "a.b", "×", "÷a", "a\0", "ℤ", "a-b"]
    {
        assert!(!is_type_name(name) && !is_value_name(name), "{name}");
    }
}
