//! Addresses that may be fetched.

/// What kind of server an address is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Address {
    /// Somewhere, by https.
    Https,
    /// This machine, by http or https.
    Loopback,
}

impl Address {
    /// What kind of address this is; `None` if it is not fetched. One with a user or a password in it is not.
    pub fn of(url: &str) -> Option<Address> {
        let (scheme, rest) = url.split_once("://")?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let authority = &rest[..end];
        let is_plain = |it: char| it.is_ascii_graphic() && it != '\\' && it != '"';
        if authority.is_empty() || authority.contains('@') || !url.chars().all(is_plain) {
            return None;
        }
        let host = match authority.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => authority.split(':').next().unwrap_or_default(),
        };
        let is_loopback = matches!(host, "localhost" | "::1")
            || host.parse::<std::net::Ipv4Addr>().is_ok_and(|it| it.is_loopback());
        match scheme {
            "https" | "http" if is_loopback => Some(Address::Loopback),
            "https" => Some(Address::Https),
            _ => None,
        }
    }
}

/// Where a redirect leads to that is relative to an address.
pub fn join(base: &str, target: &str) -> String {
    if target.contains("://") {
        return target.to_owned();
    }
    let (scheme, rest) = base.split_once("://").unwrap_or(("https", base));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if let Some(target) = target.strip_prefix("//") {
        return format!("{scheme}://{target}");
    }
    if target.starts_with('/') {
        return format!("{scheme}://{authority}{target}");
    }
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let folder = path.rsplit_once('/').map_or("", |it| it.0);
    format!("{scheme}://{authority}{folder}/{target}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_this_machine_are_fetched() {
        for (url, expected) in [
            ("https://example.org/a.json", Some(Address::Https)),
            ("https://example.org", Some(Address::Https)),
            ("http://127.0.0.1:80/a", Some(Address::Loopback)),
            ("http://localhost/a", Some(Address::Loopback)),
            ("http://[::1]:9/a", Some(Address::Loopback)),
            ("http://example.org/a.json", None),
            ("http://localhost.example.org/a", None),
            ("http://127.0.0.1.example.org/a", None),
            ("https://user@example.org/", None),
            ("http://127.0.0.1@example.org/", None),
            ("file:///etc/passwd", None),
            ("ftp://example.org/a", None),
            ("https:///a", None),
            ("https://example.org/a b", None),
            ("https://example.org/\n", None),
            ("a.json", None),
        ] {
            assert_eq!(Address::of(url), expected, "{url}");
        }
    }

    #[test]
    fn a_redirect_is_relative_to_where_it_was_found() {
        let base = "https://example.org/a/b.json?x=1/2";
        assert_eq!(join(base, "c.json"), "https://example.org/a/c.json");
        assert_eq!(join(base, "/c.json"), "https://example.org/c.json");
        assert_eq!(join(base, "//other.org/c"), "https://other.org/c");
        assert_eq!(join(base, "http://x/"), "http://x/");
        assert_eq!(join("https://example.org", "c"), "https://example.org/c");
    }
}
