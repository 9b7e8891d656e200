//! Addresses of schemas, as far as two of them mean the same document.

/// The hosts that serve the documents of one public catalogue under the same names.
const SAME_HOSTS: [&str; 3] =
    ["json.schemastore.org", "www.schemastore.org", "schemastore.azurewebsites.net"];

/// The form of an address that all its spellings share: no fragment, no difference between `http` and `https`, one host
/// where several serve the same, and no ending where that host serves a name with and without.
pub(super) fn normal(address: &str) -> String {
    let address = address.split('#').next().unwrap_or(address);
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.to_ascii_lowercase();
    if SAME_HOSTS.contains(&host.as_str()) || host == "schemastore.org" {
        let path = path.strip_prefix("schemas/json/").unwrap_or(path);
        let path = path.strip_suffix(".json").unwrap_or(path);
        return format!("schemastore:{path}");
    }
    let scheme = if scheme.eq_ignore_ascii_case("http") { "https" } else { scheme };
    format!("{}://{host}/{path}", scheme.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_address_are_one() {
        let one = normal("https://www.schemastore.org/fly.json");
        for other in [
            "http://json.schemastore.org/fly",
            "https://json.schemastore.org/fly.json#",
            "http://schemastore.azurewebsites.net/schemas/json/fly.json",
        ] {
            assert_eq!(normal(other), one);
        }
        assert_eq!(normal("http://Example.org/a.json#/x"), normal("https://example.org/a.json"));
        assert_ne!(normal("https://example.org/a.json"), normal("https://example.org/a"));
        assert_ne!(normal("https://example.org/fly.json"), one);
    }
}
