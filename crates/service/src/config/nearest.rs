//! The known name that somebody may have meant, for "did you mean".

/// The known name that differs least, if it is close. Of equally close ones the first by name.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let n_chars = name.chars().count();
    if n_chars > 100 {
        return None;
    }
    let most = (n_chars / 3).max(1);
    let folded = name.to_lowercase();
    let distance = |it: &str| spelling::distance(&folded, &it.to_lowercase());
    let close =
        known.iter().map(|it| (distance(it), *it)).filter(|(distance, _)| *distance <= most);
    close.min().map(|(_, it)| it)
}

/// The names as a sentence lists them.
pub(crate) fn list(known: &[&str]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = known.iter().take(MOST).map(|it| format!("`{it}`")).collect();
    let more = if known.len() > MOST { ", …" } else { "" };
    shown.join(", ") + more
}

/// A text that somebody wrote, short enough for a message.
pub(crate) fn short(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_close_is_found_and_one_that_is_not_is_not() {
        let known = ["include", "exclude", "max_file_size"];
        assert_eq!(nearest("inclde", &known), Some("include"));
        assert_eq!(nearest("Exclude", &known), Some("exclude"));
        assert_eq!(nearest("maxfilesize", &known), Some("max_file_size"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!(nearest(&"x".repeat(1000), &known), None);
    }
}
