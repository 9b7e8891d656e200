//! Files of sections and keys: `setup.cfg`, `.gitmodules`.

/// One key with its value. A value may go on in indented lines, which are joined with `\n`.
pub(super) struct IniEntry {
    /// What stands between the brackets.
    pub(super) section: String,
    /// The key, in lower case.
    pub(super) key: String,
    /// The value without white space around it.
    pub(super) value: String,
}

/// The entries of a file that indents the lines in which a value goes on.
pub(super) fn entries(text: &str) -> Result<Vec<IniEntry>, String> {
    read(text, true)
}

/// The entries of a file that indents keys.
pub(super) fn indented_entries(text: &str) -> Result<Vec<IniEntry>, String> {
    read(text, false)
}

fn read(text: &str, values_go_on: bool) -> Result<Vec<IniEntry>, String> {
    let mut found: Vec<IniEntry> = Vec::new();
    let mut section = String::new();
    let mut is_open = false;
    for (number, raw) in text.lines().enumerate() {
        let line = raw.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if values_go_on && raw.starts_with([' ', '\t']) && is_open {
            if let Some(last) = found.last_mut() {
                last.value.push('\n');
                last.value.push_str(line);
            }
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            section = name.strip_suffix(']').ok_or_else(|| broken(number))?.trim().to_owned();
            is_open = false;
            continue;
        }
        let (key, value) = line.split_once(['=', ':']).ok_or_else(|| broken(number))?;
        let (key, value) =
            (key.trim().to_ascii_lowercase().replace('-', "_"), value.trim().to_owned());
        found.push(IniEntry { section: section.clone(), key, value });
        is_open = true;
    }
    Ok(found)
}

fn broken(number: usize) -> String {
    format!("line {} is neither a section nor a key", number + 1)
}
