//! The table: one row for every habit of another language, with what is written here instead.

use clank_syntax::ast::Name;

use super::pieces::{PieceEdit, Pieces};
use super::{
    blocks, branches, calls, contracts, declarations, lambdas, loops, operators, records, texts,
    tuples, types, words,
};

/// What is known about the module that a text is from.
pub(super) struct IdiomContext<'a> {
    /// The records, with their fields in order.
    pub(super) records: Vec<(Name, Vec<Name>)>,
    /// The functions, with their parameters.
    pub(super) functions: Vec<(Name, Vec<Name>)>,
    /// The fields of a variant, by its name; those without a name are `None`.
    pub(super) variants: &'a dyn Fn(&str) -> Option<Vec<Option<Name>>>,
    pub(super) known_value: &'a dyn Fn(&str) -> bool,
    pub(super) known_type: &'a dyn Fn(&str) -> bool,
}

impl IdiomContext<'_> {
    /// Whether the module itself declares a value by that name.
    pub(super) fn is_known(&self, name: &str) -> bool {
        (self.known_value)(name)
    }

    /// Whether there is a type by that name.
    pub(super) fn is_known_type(&self, name: &str) -> bool {
        (self.known_type)(name)
    }
}

/// What a row is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum IdiomLayer {
    /// What cannot be read as it is.
    Syntax,
    /// What can be read, but means nothing.
    Names,
}

/// One habit.
pub(super) struct Row {
    /// Its name, by which its cases are found.
    pub(super) name: &'static str,
    /// What a person who has it is told.
    pub(super) doc: &'static str,
    pub(super) layer: IdiomLayer,
    /// In how many ways it can be meant.
    pub(super) readings: u8,
    /// The changes of a text that has it.
    pub(super) rewrite: fn(&Pieces<'_>, &IdiomContext<'_>) -> Vec<PieceEdit>,
}

/// As many readings as make a row a guess.
pub(super) const DOUBTFUL: u8 = 4;

const fn row(
    name: &'static str,
    layer: IdiomLayer,
    readings: u8,
    rewrite: fn(&Pieces<'_>, &IdiomContext<'_>) -> Vec<PieceEdit>,
    doc: &'static str,
) -> Row {
    Row { name, doc, layer, readings, rewrite }
}

use IdiomLayer::{Names, Syntax};

/// All rows, in the order in which they are tried: what decides where a text ends comes first.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row("single-quotes", Syntax, 1, texts::quotes, "a string is in double quotes"),
    row("hash-comments", Syntax, 1, texts::comments, "a comment starts with `//`"),
    row("floor-division", Syntax, 1, operators::floor, "`/` divides integers, and `//` starts a comment"),
    row("python-prints", Syntax, 2, texts::prints, "`println` ends the line, `print` does not"),
    row("format-strings", Syntax, 1, texts::formats, "a string with values in it is a template: `a ${x}`"),
    row("macros", Syntax, 1, texts::macros, "there are no macros: functions are called by their names"),
    row("indented-blocks", Syntax, 1, blocks::colons, "a block is in braces"),
    row("generators", Syntax, 1, blocks::generators, r"`map(xs, \x -> …)` and `filter(xs, \x -> …)` make lists"),
    row("comprehensions", Syntax, 1, blocks::comprehensions, r"`map(xs, \x -> …)` and `filter(xs, \x -> …)` make lists"),
    row("let-patterns", Syntax, 1, blocks::patterns, "a pattern is tested with `match`"),
    row("format-calls", Names, 1, texts::format_calls, "a string with values in it is a template: `a ${x}`"),
    row("bare-bindings", Syntax, 1, blocks::bare_bindings, "`let` binds a name, and `let mut` one that is assigned to"),
    row("range-loops", Syntax, 1, blocks::ranges, "a loop over values is `for x in xs`"),
    row("bare-parameters", Syntax, 1, blocks::bare_parameters, "a parameter is `name: Type`"),
    row("arrow-functions", Syntax, 1, declarations::arrow_functions, "a function is declared by `fn`"),
    row("typed-functions", Syntax, 1, declarations::typed_functions, "a function is `fn name(…) -> Type`"),
    row("record-declarations", Syntax, 1, declarations::records, "a record is `rec Name { field: Type }`"),
    row("declaration-words", Syntax, 1, declarations::words, "functions are declared by `fn`, records by `rec`, sums by `sum`, imports by `use`"),
    row("imports", Syntax, 1, declarations::imports, "the parts of a module's name are joined by `.`"),
    row("bar-sums", Syntax, 1, declarations::bar_sums, "the variants of a sum are in braces, with commas between them"),
    row("variant-fields", Syntax, 1, declarations::variant_fields, "the parts of a variant are in parentheses"),
    row("optional-members", Syntax, 1, declarations::optional_members, "what may be missing is an `Option`"),
    row("type-parameters", Syntax, 1, declarations::type_params, "parameters for types are in `[…]`"),
    row("result-arrow", Syntax, 1, declarations::result_arrow, "`->` precedes the type of the result"),
    row("missing-arrow", Syntax, 1, declarations::missing_arrow, "`->` precedes the type of the result"),
    row("type-first", Syntax, 1, declarations::type_first, "a parameter is `name: Type`"),
    row("angle-brackets", Syntax, 1, types::angles, "arguments of types are in `[…]`"),
    row("small-types", Syntax, 1, types::small, "names of types start with a capital: `Str`, `Bool`, `Int`, `Float`, `Unit`"),
    row("number-types", Syntax, 2, types::number, "a number is an `Int` or a `Float`"),
    row("array-types", Syntax, 1, types::arrays, "an array of `T` is `[T]`"),
    row("function-types", Syntax, 1, types::functions, "the type of a function is `(A, B) -> C`"),
    row("bare-function-types", Syntax, 1, types::bare_functions, "the type of a function is `(A, B) -> C`"),
    row("foreign-types", Names, 1, types::foreign, "Clank has another name for this type"),
    row("effects", Syntax, 1, contracts::effects, "effects are added with `+`: `IO + Unit`"),
    row("conditions", Syntax, 1, contracts::conditions, "a condition of a type is in braces, one of a function is `pre` or `post`"),
    row("reserved-names", Syntax, 1, contracts::reserved, "a reserved word cannot be a name"),
    row("members", Syntax, 1, declarations::members, "fields and variants have commas between them"),
    row("bindings-without-value", Syntax, DOUBTFUL, declarations::without_value, "a name is bound to a value"),
    row("rest-patterns", Syntax, 1, tuples::rests, "each part of a variant has a pattern: `_` for any value"),
    row("map-literals", Syntax, 1, records::map_literals, "a map is made of pairs: `map_from([(k, v)])`"),
    row("copies", Syntax, 1, records::copies, "a changed record is written with all its fields"),
    row("counted-loops", Syntax, 1, loops::counted, "a loop that counts is `for i in 0..n`"),
    row("bare-tuples", Syntax, 1, tuples::bare, "a tuple is in parentheses"),
    row("array-spreads", Syntax, 1, tuples::spreads, "`push` adds to an array, `++` joins arrays"),
    row("slices", Syntax, 1, tuples::slices, "`slice`, `take`, `drop` and `reverse` return parts of an array"),
    row("each-loops", Syntax, 1, loops::each, "a loop over values is `for x in xs`"),
    row("do-loops", Syntax, 1, loops::repeated, "a loop that tests at its end is a `loop` with a `break`"),
    row("fillers", Syntax, 1, loops::fillers, "the body of a loop or an `if` is a block"),
    row("guards", Syntax, 1, tuples::guards, "the condition of an arm follows `if`"),
    row("else-if", Syntax, 1, branches::else_if, "a further condition is written `else if`"),
    row("switch", Syntax, 1, branches::switch, "a choice between values is a `match` with arms `pattern -> value`"),
    row("turned-signs", Syntax, 1, operators::turned, "the operator is `>=`"),
    row("lambda-parameters", Syntax, 1, lambdas::parameters, r"several parameters are in parentheses: `\(a, b) -> …`"),
    row("bar-lambdas", Syntax, 1, lambdas::bars, r"an anonymous function is `\x -> …`"),
    row("python-lambdas", Syntax, 1, lambdas::python, r"an anonymous function is `\x -> …`"),
    row("function-lambdas", Syntax, 1, lambdas::functions, r"an anonymous function is `\x -> …`"),
    row("arrows", Syntax, 1, lambdas::arrows, r"an arm is `pattern -> value`, an anonymous function is `\x -> …`"),
    row("lambda-patterns", Syntax, 1, lambdas::patterns, "a tuple is taken apart by `let` in the function"),
    row("variant-patterns", Syntax, 2, records::variant_patterns, "the parts of a variant are in parentheses, in their order"),
    row("arm-assignments", Syntax, 1, branches::arm_assignments, "an arm that assigns is a block"),
    row("alternatives", Syntax, 1, branches::alternatives, "an arm has one pattern"),
    row("record-shorthand", Syntax, 1, records::shorthand, "a field is `name: value`"),
    row("record-updates", Syntax, 1, records::updates, "a changed record is written with all its fields"),
    row("variant-records", Syntax, 1, records::variant_values, "the parts of a variant are in parentheses, in their order"),
    row("named-arguments", Syntax, 1, records::named_arguments, "arguments have no names, and a record is `Name { field: value }`"),
    row("coalesce", Syntax, 1, operators::coalesce, "a value that may be missing is tested with `match`"),
    row("range-signs", Syntax, 2, operators::ranges, "a range is `a..b` without its end, `a..=b` with it"),
    row("signs", Syntax, 1, operators::signs, "Clank writes this operator differently"),
    row("compound-assignment", Syntax, 1, operators::compound, "`b += 2` is `b = b + 2`"),
    row("increments", Syntax, 1, operators::increments, "`i++` is `i = i + 1`"),
    row("walrus", Syntax, 1, operators::walrus, "`let` binds a name"),
    row("increased-values", Syntax, DOUBTFUL, operators::increased, "one more is `i + 1`"),
    row("paths", Syntax, 1, records::paths, "a variant is written by its name alone, and `.` separates a module from its functions"),
    row("makers", Syntax, 1, calls::makers, "values have no constructors of their own: `[]`, `map_new()`, or the value itself"),
    row("tried", Names, 1, calls::tried, "`?` after the call passes a failure on"),
    row("bindings", Names, 1, declarations::bindings, "`let` binds a name, and `let mut` one that is assigned to"),
    row("membership", Names, 1, operators::membership, "`contains(xs, x)` asks whether an array has a value"),
    row("word-operators", Names, 1, operators::words, "the operators are `&&`, `||` and `!`"),
    row("ternary", Syntax, 1, branches::ternary, "a choice between two values is `if c { a } else { b }`"),
    row("trailing-if", Syntax, 1, branches::trailing_if, "a choice between two values is `if c { a } else { b }`"),
    row("then", Syntax, 1, branches::then, "a choice between two values is `if c { a } else { b }`"),
    row("unbraced", Syntax, 1, branches::unbraced, "the branches of an `if` are in braces"),
    row("catch", Names, DOUBTFUL, branches::catch, "`try` returns a `Result`, which `match` takes apart"),
    row("throw", Names, 3, branches::throw, "a function that fails returns `Err`, or panics"),
    row("colon-arms", Syntax, 1, branches::colon_arms, "an arm is `pattern -> value`"),
    row("casts", Names, 1, calls::casts, "a number is converted by a function: `int_to_float(x)`"),
    row("sum-methods", Syntax, 1, calls::sum_methods, r"numbers are added up by `fold(xs, 0, \(a, b) -> a + b)`"),
    row("sums", Syntax, 1, calls::sums, r"numbers are added up by `fold(xs, 0, \(a, b) -> a + b)`"),
    row("matches-calls", Names, 1, calls::matches, "a pattern is tested with `match`"),
    row("pass", Names, 1, words::pass, "the empty value is `()`"),
    row("new", Names, 1, records::new, "a value is made by the name of its record or variant"),
    row("commands", Names, 1, words::commands, "arguments are in parentheses"),
    row("values", Names, 1, words::values, "Clank has another name for this value"),
];
