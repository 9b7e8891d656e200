//! YES
/* YES /* nested YES */ still YES */
/// YES
fn f<'a>(x: &'a str) -> char { // YES
    let _ = "// NO \" // NO";
    let _ = r"// NO \"; // YES
    let _ = r#"// NO " // NO"#; /* YES */
    let _ = br##"/* NO "# */"##; // YES
    let _ = b"// NO\
        // NO"; // YES
    let r#fn = ('"', '\'', '\\', '\u{1F600}', b'"', 'é', '/'); // YES
    'outer: loop { break 'outer; } // YES
    let _: &'static str = "/* NO"; /**/ // YES */
    c"// NO"; cr#"// NO"#; // YES
    'x' // YES
}
