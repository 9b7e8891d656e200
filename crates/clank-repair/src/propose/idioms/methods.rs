//! What other languages call as a method, and by which name it goes here: a table by the type of the value.

use clank::ty::{Prim, Ty};

/// What kind of value something is called on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum On {
    Array,
    Text,
    Map,
    Set,
    Option,
    Result,
    Number,
    Any,
}

impl On {
    /// What a type is.
    pub(super) fn of(ty: &Ty) -> On {
        match ty.base() {
            Ty::Array(_) => On::Array,
            Ty::Prim(Prim::Str) => On::Text,
            Ty::Prim(prim) if prim.is_integer() || *prim == Prim::Float => On::Number,
            Ty::Adt(it) if it.key.is_prelude("Map") => On::Map,
            Ty::Adt(it) if it.key.is_prelude("Set") => On::Set,
            Ty::Adt(it) if it.key.is_prelude("Option") => On::Option,
            Ty::Adt(it) if it.key.is_prelude("Result") => On::Result,
            _ => On::Any,
        }
    }
}

/// How a method is written here. `0` is the value it is called on, `1` and so on are its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MethodForm {
    /// A call of a function with these.
    Call(&'static str, &'static [u8]),
    /// An operator between the two.
    Binary(&'static str),
    /// The same, compared with a value.
    Against(&'static str, &'static str),
    /// The value itself.
    Itself,
    /// As a statement the value is changed: it becomes what this function gives.
    Change(&'static str, &'static [u8]),
    /// The same by an operator.
    ChangeBy(&'static str),
    /// What an Option or Result holds, or the argument.
    OrElse,
    /// What it holds; a failure is passed on.
    Unwrap,
    /// What is found under a key, or the second argument.
    FoundOrElse,
    /// A text with `$0`, `$1` and so on in it.
    Text(&'static str),
}

impl MethodForm {
    /// What kind of value it gives, where it is called on this.
    pub(super) fn gives(self, on: On) -> On {
        match self {
            MethodForm::Itself => on,
            MethodForm::Call(name, _) | MethodForm::Change(name, _) => match name {
                "map" | "filter" | "sort" | "sort_by" | "reverse" | "take" | "drop" | "zip"
                | "split" | "chars" | "push" | "map_keys" | "map_values" | "map_entries"
                | "set_to_array" | "range" => On::Array,
                "join" | "trim" | "to_upper" | "to_lower" | "replace" | "slice" | "to_string" => {
                    On::Text
                }
                "find" | "get" | "reduce" | "parse_int" | "parse_float" | "map_get" => On::Option,
                "len" | "str_len" | "map_size" | "set_size" | "abs" => On::Number,
                "map_set" | "map_remove" => On::Map,
                "set_add" | "set_remove" => On::Set,
                _ => On::Any,
            },
            MethodForm::ChangeBy(_) => on,
            _ => On::Any,
        }
    }
}

use MethodForm::{
    Against, Binary, Call, Change, ChangeBy, FoundOrElse, Itself, OrElse, Text, Unwrap,
};

/// The value, the names, how many arguments, and how it is written here.
type Method = (On, &'static [&'static str], usize, MethodForm);

#[rustfmt::skip]
const METHODS: &[Method] = &[
    (On::Array, &["length", "size", "len", "count", "Length", "Count"], 0, Call("len", &[0])),
    (On::Array, &["is_empty", "isEmpty", "empty"], 0, Call("is_empty", &[0])),
    (On::Array, &["push", "append", "add", "push_back", "Add"], 1, Change("push", &[0, 1])),
    (On::Array, &["extend", "concat", "addAll", "append_all"], 1, ChangeBy("++")),
    (On::Array, &["map", "collect", "Select"], 1, Call("map", &[0, 1])),
    (On::Array, &["forEach", "for_each", "each"], 1, Call("map", &[0, 1])),
    (On::Array, &["filter", "select", "where", "Where", "keep"], 1, Call("filter", &[0, 1])),
    (On::Array, &["fold", "foldl", "inject"], 2, Call("fold", &[0, 1, 2])),
    (On::Array, &["reduce"], 2, Call("fold", &[0, 2, 1])),
    (On::Array, &["reduce"], 1, Call("reduce", &[0, 1])),
    (On::Array, &["get", "at", "elementAt", "nth"], 1, Call("get", &[0, 1])),
    (On::Array, &["first"], 0, Text("get($0, 0)")),
    (On::Array, &["find", "detect", "firstWhere"], 1, Call("find", &[0, 1])),
    (On::Array, &["any", "some", "exists", "Any"], 1, Call("any", &[0, 1])),
    (On::Array, &["all", "every", "forall", "All"], 1, Call("all", &[0, 1])),
    (On::Array, &["contains", "includes", "has", "include", "Contains"], 1, Call("contains", &[0, 1])),
    (On::Array, &["reverse", "reversed"], 0, Call("reverse", &[0])),
    (On::Array, &["slice"], 1, Call("drop", &[0, 1])),
    (On::Array, &["last"], 0, Text("get(reverse($0), 0)")),
    (On::Array, &["slice"], 2, Text("take(drop($0, $1), $2 - $1)")),
    (On::Array, &["take", "limit"], 1, Call("take", &[0, 1])),
    (On::Array, &["drop", "skip"], 1, Call("drop", &[0, 1])),
    (On::Array, &["zip"], 1, Call("zip", &[0, 1])),
    (On::Array, &["sort", "sorted"], 0, Call("sort", &[0])),
    (On::Array, &["sort", "sort_by", "sorted", "sortBy", "sortWith"], 1, Call("sort_by", &[0, 1])),
    (On::Array, &["join", "mkString"], 1, Call("join", &[0, 1])),
    (On::Array, &["iter", "into_iter", "collect", "stream", "toList", "to_vec", "clone", "copy", "toArray", "to_list"], 0, Itself),

    (On::Text, &["length", "size", "len", "count", "Length"], 0, Call("str_len", &[0])),
    (On::Text, &["is_empty", "isEmpty", "empty"], 0, Against("==", "\"\"")),
    (On::Text, &["toUpperCase", "upper", "toUpper", "to_uppercase", "uppercase", "upcase", "ToUpper", "to_upper"], 0, Call("to_upper", &[0])),
    (On::Text, &["toLowerCase", "lower", "toLower", "to_lowercase", "lowercase", "downcase", "ToLower", "to_lower"], 0, Call("to_lower", &[0])),
    (On::Text, &["trim", "strip", "Trim"], 0, Call("trim", &[0])),
    (On::Text, &["split", "Split"], 1, Call("split", &[0, 1])),
    (On::Text, &["replace", "replaceAll", "replace_all", "gsub"], 2, Call("replace", &[0, 1, 2])),
    (On::Text, &["startsWith", "starts_with", "startswith", "hasPrefix", "StartsWith"], 1, Call("starts_with", &[0, 1])),
    (On::Text, &["endsWith", "ends_with", "endswith", "hasSuffix", "EndsWith"], 1, Call("ends_with", &[0, 1])),
    (On::Text, &["substring", "slice", "Substring"], 2, Call("slice", &[0, 1, 2])),
    // Where it has this name, how long the part is comes second.
    (On::Text, &["substr"], 2, Text("slice($0, $1, $1 + $2)")),
    (On::Text, &["charAt", "char_at", "at"], 1, Text("slice($0, $1, $1 + 1)")),
    (On::Text, &["chars", "toCharArray", "characters"], 0, Call("chars", &[0])),
    (On::Text, &["contains", "includes", "include", "Contains"], 1, Text("len(split($0, $1)) > 1")),
    (On::Text, &["slice", "substring", "substr"], 1, Text("slice($0, $1, str_len($0))")),
    (On::Text, &["lines"], 0, Text("split($0, \"\\n\")")),
    (On::Text, &["join"], 1, Call("join", &[1, 0])),
    (On::Text, &["concat", "append", "push_str", "push"], 1, ChangeBy("++")),
    (On::Text, &["toString", "to_string", "to_str", "as_str", "clone", "to_owned", "String"], 0, Itself),
    (On::Text, &["toInt", "parse_int", "parseInt", "to_int", "to_i", "parse", "toIntOrNull"], 0, Call("parse_int", &[0])),
    (On::Text, &["toFloat", "parseFloat", "to_float", "to_f"], 0, Call("parse_float", &[0])),

    (On::Map, &["get", "lookup", "find"], 1, Call("map_get", &[0, 1])),
    (On::Map, &["getOrDefault", "get", "get_or", "getOrElse", "fetch", "get_or_default"], 2, FoundOrElse),
    (On::Map, &["set", "put", "insert", "add", "Add"], 2, Change("map_set", &[0, 1, 2])),
    (On::Map, &["has", "contains", "containsKey", "contains_key", "has_key", "hasKey", "ContainsKey", "includes"], 1, Call("map_has", &[0, 1])),
    (On::Map, &["delete", "remove", "erase", "Remove"], 1, Change("map_remove", &[0, 1])),
    (On::Map, &["keys", "keySet", "Keys"], 0, Call("map_keys", &[0])),
    (On::Map, &["values", "Values"], 0, Call("map_values", &[0])),
    (On::Map, &["entries", "items", "entrySet", "iter", "pairs"], 0, Call("map_entries", &[0])),
    (On::Map, &["length", "size", "len", "count", "Count"], 0, Call("map_size", &[0])),
    (On::Map, &["is_empty", "isEmpty", "empty"], 0, Text("map_size($0) == 0")),

    (On::Set, &["add", "insert", "Add"], 1, Change("set_add", &[0, 1])),
    (On::Set, &["has", "contains", "includes", "Contains", "include"], 1, Call("set_has", &[0, 1])),
    (On::Set, &["delete", "remove", "discard", "Remove"], 1, Change("set_remove", &[0, 1])),
    (On::Set, &["length", "size", "len", "count", "Count"], 0, Call("set_size", &[0])),
    (On::Set, &["toList", "to_array", "toArray", "values", "to_list", "iter"], 0, Call("set_to_array", &[0])),

    (On::Option, &["unwrap", "get", "value", "expect", "force"], 0, Unwrap),
    (On::Option, &["expect"], 1, Unwrap),
    (On::Option, &["unwrap_or", "unwrapOr", "getOrElse", "orElse", "or", "get_or", "withDefault", "unwrap_or_default", "or_else"], 1, OrElse),
    (On::Option, &["is_some", "isSome", "isPresent", "isDefined", "has_value", "hasValue"], 0, Against("!=", "None")),
    (On::Option, &["is_none", "isNone", "isEmpty", "isAbsent"], 0, Against("==", "None")),
    (On::Result, &["unwrap", "get", "value", "expect"], 0, Unwrap),
    (On::Result, &["expect"], 1, Unwrap),
    (On::Result, &["unwrap_or", "unwrapOr", "getOrElse", "orElse"], 1, OrElse),
    (On::Result, &["is_ok", "isOk", "isSuccess"], 0, Text("match $0 { Ok(_) -> true, Err(_) -> false }")),
    (On::Result, &["is_err", "isErr", "isFailure", "isError"], 0, Text("match $0 { Ok(_) -> false, Err(_) -> true }")),

    (On::Number, &["abs"], 0, Call("abs", &[0])),
    (On::Number, &["pow", "powi"], 1, Binary("^")),
    (On::Number, &["max"], 1, Call("max", &[0, 1])),
    (On::Number, &["min"], 1, Call("min", &[0, 1])),
    (On::Number, &["toFloat", "to_float", "toDouble", "to_f"], 0, Call("int_to_float", &[0])),
    (On::Number, &["toInt", "to_int", "to_i", "floor", "trunc"], 0, Call("float_to_int", &[0])),
    (On::Any, &["toString", "to_string", "to_str", "to_s", "show", "str", "ToString", "String", "inspect"], 0, Call("to_string", &[0])),
    (On::Any, &["equals", "eq", "Equals"], 1, Binary("==")),
    (On::Any, &["clone", "copy", "dup"], 0, Itself),
    (On::Any, &["compareTo", "cmp", "compare"], 1, Call("compare", &[0, 1])),
];

/// How a method of a value is written here.
pub(super) fn method(on: On, name: &str, n_args: usize) -> Option<MethodForm> {
    let of = |wanted: On| {
        METHODS
            .iter()
            .find(|it| it.0 == wanted && it.2 == n_args && it.1.contains(&name))
            .map(|it| it.3)
    };
    of(on).or_else(|| of(On::Any))
}

/// What a function of another language is called here, by the type of its first argument where that tells.
pub(super) fn function(name: &str, n_args: usize, first: On) -> Option<MethodForm> {
    Some(match (name, n_args, first) {
        (
            "length" | "size" | "count" | "len" | "strlen" | "str_len" | "Len" | "len_utf8",
            1,
            On::Text,
        ) => Call("str_len", &[1]),
        (
            "length" | "size" | "count" | "len" | "sizeof" | "str_len" | "map_size" | "set_size",
            1,
            On::Array,
        ) => Call("len", &[1]),
        ("length" | "size" | "count" | "len" | "str_len", 1, On::Map) => Call("map_size", &[1]),
        ("length" | "size" | "count" | "len" | "str_len", 1, On::Set) => Call("set_size", &[1]),
        (
            "str" | "string" | "String" | "toString" | "repr" | "show" | "String.valueOf"
            | "Integer.toString" | "string_of_int" | "strconv.Itoa" | "format" | "tostring"
            | "to_str" | "int_to_string" | "show_int" | "String.from",
            1,
            _,
        ) => Call("to_string", &[1]),
        (
            "parseInt" | "Integer.parseInt" | "int" | "atoi" | "Number" | "Number.parseInt"
            | "to_number" | "strconv.Atoi",
            1,
            On::Text,
        ) => Call("parse_int", &[1]),
        ("parseFloat" | "float", 1, On::Text) => Call("parse_float", &[1]),
        ("float" | "Float" | "double" | "to_float", 1, _) => Call("int_to_float", &[1]),
        ("int" | "Math.floor" | "Math.trunc" | "floor" | "trunc" | "Int", 1, On::Number) => {
            Call("float_to_int", &[1])
        }
        ("append" | "add" | "List.append" | "cons", 2, On::Array) => Call("push", &[1, 2]),
        ("upper" | "toUpperCase" | "uppercase" | "toupper" | "strings.ToUpper", 1, _) => {
            Call("to_upper", &[1])
        }
        ("lower" | "toLowerCase" | "lowercase" | "tolower" | "strings.ToLower", 1, _) => {
            Call("to_lower", &[1])
        }
        ("strip" | "strings.TrimSpace", 1, _) => Call("trim", &[1]),
        ("startswith" | "startsWith" | "strings.HasPrefix", 2, _) => Call("starts_with", &[1, 2]),
        ("endswith" | "endsWith" | "strings.HasSuffix", 2, _) => Call("ends_with", &[1, 2]),
        ("substring" | "substr_of", 3, _) => Call("slice", &[1, 2, 3]),
        ("substr", 3, _) => Text("slice($1, $2, $2 + $3)"),
        ("strings.Split" | "String.split", 2, _) => Call("split", &[1, 2]),
        ("strings.Join" | "String.join", 2, _) => Call("join", &[1, 2]),
        ("includes" | "has" | "elem" | "member" | "List.mem", 2, On::Array) => {
            Call("contains", &[1, 2])
        }
        ("has" | "contains" | "has_key" | "contains_key", 2, On::Map) => Call("map_has", &[1, 2]),
        ("contains" | "has", 2, On::Set) => Call("set_has", &[1, 2]),
        ("get" | "lookup" | "map_lookup", 2, On::Map) => Call("map_get", &[1, 2]),
        ("set" | "insert" | "put" | "map_insert" | "map_put" | "map_add", 3, On::Map) => {
            Call("map_set", &[1, 2, 3])
        }
        ("keys" | "Object.keys", 1, On::Map) => Call("map_keys", &[1]),
        ("values" | "Object.values", 1, On::Map) => Call("map_values", &[1]),
        ("entries" | "items" | "Object.entries", 1, On::Map) => Call("map_entries", &[1]),
        (
            "Map" | "HashMap" | "dict" | "Map.new" | "HashMap.new" | "new_map" | "map_empty"
            | "Map.empty" | "empty_map" | "Dict",
            0,
            _,
        ) => Call("map_new", &[]),
        (
            "Set" | "HashSet" | "set" | "Set.new" | "HashSet.new" | "set_empty" | "Set.empty",
            0,
            _,
        ) => Call("set_new", &[]),
        ("Math.max" | "maximum" | "std.max" | "cmp.max" | "math.max" | "Int.max", 2, _) => {
            Call("max", &[1, 2])
        }
        ("Math.min" | "minimum" | "std.min" | "cmp.min" | "math.min" | "Int.min", 2, _) => {
            Call("min", &[1, 2])
        }
        ("Math.abs" | "fabs" | "math.abs" | "absolute", 1, _) => Call("abs", &[1]),
        ("Math.pow" | "pow" | "math.pow" | "power", 2, _) => Binary("^"),
        (
            "console.log" | "System.out.println" | "fmt.Println" | "Console.WriteLine" | "puts"
            | "echo" | "printf" | "print_line" | "printLine" | "putStrLn" | "writeln" | "log"
            | "println",
            1,
            _,
        ) => Text("println($1)"),
        ("console.error" | "System.err.println" | "print_err", 1, _) => Text("eprintln($1)"),
        ("input" | "readLine" | "readline" | "gets", 0, _) => Call("read_line", &[]),
        ("enumerate", 1, _) => Text("zip(range(0, len($1)), $1)"),
        ("range", 1, _) => Text("range(0, $1)"),
        ("sorted", 1, _) => Call("sort", &[1]),
        ("sort" | "sorted" | "sortBy" | "sort_with", 2, On::Array) => Call("sort_by", &[1, 2]),
        ("slice", 3, On::Array) => Text("take(drop($1, $2), $3 - $2)"),
        ("drop", 2, On::Text) => Text("slice($1, $2, str_len($1))"),
        ("take", 2, On::Text) => Text("slice($1, 0, $2)"),
        ("Set" | "HashSet" | "set", 1, On::Array) => Call("set_from", &[1]),
        ("Map" | "HashMap" | "dict", 1, On::Array) => Call("map_from", &[1]),
        ("first" | "head", 1, On::Array) => Text("get($1, 0)"),
        ("last", 1, On::Array) => Text("get(reverse($1), 0)"),
        ("reversed" | "rev" | "List.rev", 1, _) => Call("reverse", &[1]),
        ("foldl" | "fold_left" | "foldLeft" | "List.fold_left", 3, _) => Call("fold", &[1, 2, 3]),
        ("reduce" | "inject", 3, On::Array) => Call("fold", &[1, 3, 2]),
        (
            "map_get" | "map_get_or" | "get_or" | "map_get_or_default" | "get_or_default"
            | "getOrDefault",
            3,
            On::Map,
        ) => Text("match map_get($1, $2) { Some(value) -> value, None -> $3 }"),
        // A text is cut in more than one part by what it contains.
        ("contains" | "includes" | "str_contains" | "string_contains", 2, On::Text) => {
            Text("len(split($1, $2)) > 1")
        }
        (
            "set_to_list" | "set_values" | "set_items" | "to_list" | "list" | "Array.from",
            1,
            On::Set,
        ) => Call("set_to_array", &[1]),
        ("map_contains" | "map_contains_key" | "map_has_key", 2, On::Map) => {
            Call("map_has", &[1, 2])
        }
        ("map_delete", 2, On::Map) => Call("map_remove", &[1, 2]),
        ("map_len" | "map_length" | "map_count", 1, On::Map) => Call("map_size", &[1]),
        ("map_items" | "map_to_list" | "map_to_array", 1, On::Map) => Call("map_entries", &[1]),
        ("set_contains", 2, On::Set) => Call("set_has", &[1, 2]),
        ("set_insert", 2, On::Set) => Call("set_add", &[1, 2]),
        ("set_delete", 2, On::Set) => Call("set_remove", &[1, 2]),
        ("set_len" | "set_length" | "set_count", 1, On::Set) => Call("set_size", &[1]),
        ("str_length" | "string_length" | "string_len", 1, On::Text) => Call("str_len", &[1]),
        ("str_chars" | "string_chars" | "to_chars", 1, On::Text) => Call("chars", &[1]),
        ("str_slice" | "str_substring" | "str_sub", 3, On::Text) => Call("slice", &[1, 2, 3]),
        ("str_split" | "string_split", 2, On::Text) => Call("split", &[1, 2]),
        ("str_join" | "string_join", 2, On::Array) => Call("join", &[1, 2]),
        ("str_trim" | "string_trim", 1, On::Text) => Call("trim", &[1]),
        ("str_to_int" | "string_to_int", 1, On::Text) => Call("parse_int", &[1]),
        ("exists" | "some", 2, On::Array) => Call("any", &[1, 2]),
        ("every" | "forall", 2, On::Array) => Call("all", &[1, 2]),
        ("exit" | "abort" | "fail" | "error" | "die" | "failwith", 1, On::Text) => {
            Call("panic", &[1])
        }
        _ => return None,
    })
}
