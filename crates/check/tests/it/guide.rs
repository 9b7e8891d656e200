//! The table of languages in the guide is the table in the code. `REGREEN_BLESS=1` writes it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use check::Syntax;

fn table() -> String {
    let mut out = String::from("\n| language | files | comments |\n|---|---|---|\n");
    let mut all: Vec<&Syntax> = Syntax::all().iter().collect();
    all.sort_by_key(|it| it.name.to_lowercase());
    let code = |it: &str| format!("`{}`", it.replace('|', "\\|"));
    for syntax in all {
        let extensions = syntax.extensions.iter().map(|it| code(&format!(".{it}")));
        let names = syntax.file_names.iter().map(|it| code(it));
        let programs = syntax.programs.iter().map(|it| code(&format!("#!{it}")));
        let mut files: Vec<String> = extensions.chain(names).chain(programs).collect();
        // `.env` is a name as well as an extension.
        let mut seen = BTreeSet::new();
        files.retain(|it| seen.insert(it.clone()));
        let forms: Vec<String> = syntax.comment_forms().iter().map(|it| code(it)).collect();
        writeln!(out, "| {} | {} | {} |", syntax.name, files.join(" "), forms.join(" ")).unwrap();
    }
    out + "\n"
}

#[test]
fn the_guide_lists_the_languages() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/ignores.md");
    let text = fs::read_to_string(&page).unwrap();
    let (start, end) = ("<!-- languages -->\n", "<!-- /languages -->");
    let (before, rest) = text.split_once(start).expect("the page has a place for the table");
    let (_, after) = rest.split_once(end).expect("the place has an end");
    let expected = format!("{before}{start}{}{end}{after}", table());
    if std::env::var_os("REGREEN_BLESS").is_some() {
        fs::write(&page, &expected).unwrap();
    } else {
        assert!(text == expected, "run with REGREEN_BLESS=1 to update {}", page.display());
    }
}
