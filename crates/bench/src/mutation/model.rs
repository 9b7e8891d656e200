//! The valid workspaces of the study: a product with modules and a lock file, as values.

use document::{Number, Value};

use crate::random::Random;

/// A file's path without its extension, and what it says.
pub(crate) struct Page {
    pub(crate) stem: String,
    pub(crate) value: Value,
}

const PRODUCTS: [&str; 6] =
    ["storefront", "ledger", "warehouse", "newsroom", "clinic", "telemetry"];
const MODULES: [&str; 10] = [
    "Billing",
    "Catalogue",
    "Shipping",
    "Accounts",
    "Search Index",
    "Notifications",
    "Reporting",
    "Inventory",
    "Payments",
    "Audit Trail",
];
const ENTITIES: [&str; 6] = ["order", "customer", "invoice", "parcel", "session", "ticket"];
const FIELDS: [&str; 10] = [
    "amount", "city", "created", "email", "label", "number", "owner", "status", "updated", "weight",
];
const TYPES: [&str; 6] = ["string", "integer", "decimal", "boolean", "timestamp", "uuid"];
const LAYERS: [&str; 4] = ["interface", "domain", "storage", "integration"];
const STAGES: [&str; 3] = ["development", "pre-release", "production"];
const LANGUAGES: [&str; 3] = ["cel", "cel", "jsonpath"];
const TAGS: [&str; 6] = ["internal", "eu", "billing", "beta", "public", "core"];
const OWNERS: [&str; 4] = ["team-river", "team-harbour", "team-meadow", "platform"];

/// The pages of one workspace. The same seed gives the same workspace.
pub(crate) fn pages(seed: u64) -> Vec<Page> {
    let mut random = Random::new(seed);
    let product = PRODUCTS[random.below(PRODUCTS.len())];
    let mut names = MODULES;
    random.shuffle(&mut names);
    let names = &names[..4 + random.below(4)];
    let mut pages =
        vec![Page { stem: "product".into(), value: product_page(product, &mut random) }];
    for (index, name) in names.iter().enumerate() {
        let value = module_page(product, name, &names[..index], &mut random);
        pages.push(Page { stem: format!("modules/{}", snake(name)), value });
    }
    let uids = names.iter().map(|it| string(&format!("mod_{}", snake(it)))).collect();
    let lock = object(vec![
        ("version", number(1)),
        ("product", string(product)),
        ("modules", Value::Array(uids)),
    ]);
    pages.push(Page { stem: "lock".into(), value: object(vec![("lock", lock)]) });
    pages
}

/// The page of a product.
pub(crate) fn product_page(name: &str, random: &mut Random) -> Value {
    let mut tags = TAGS;
    random.shuffle(&mut tags);
    let tags = tags[..2 + random.below(3)].iter().map(|it| string(it)).collect();
    let low = 1 + random.below(3);
    let replicas = object(vec![("min", number(low)), ("max", number(low + random.below(5)))]);
    let mut members = vec![
        ("name", string(name)),
        ("uid", string(&format!("prd_{name}"))),
        ("format", number(3)),
        ("language", string(LANGUAGES[random.below(LANGUAGES.len())])),
        ("port", number(1024 + random.below(60_000))),
        ("public", Value::Bool(random.below(2) == 0)),
        ("build", string(&format!("{}", 100 + random.below(900)))),
        ("stage", string(STAGES[random.below(STAGES.len())])),
        ("tags", Value::Array(tags)),
        ("replicas", replicas),
    ];
    let tls = object(vec![
        ("certificate", string("certs/site.pem")),
        ("private_key", string("certs/site.key")),
    ]);
    members.push(("tls", tls));
    object(vec![("product", object(members))])
}

fn module_page(product: &str, name: &str, earlier: &[&str], random: &mut Random) -> Value {
    let imports: Vec<&str> = earlier.iter().copied().filter(|_| random.below(2) == 0).collect();
    let n_entities = 1 + random.below(3);
    large_module_page(product, name, &imports, n_entities, random)
}

/// The page of a module with that many entities.
pub(crate) fn large_module_page(
    product: &str,
    name: &str,
    imports: &[&str],
    n_entities: usize,
    random: &mut Random,
) -> Value {
    let entities = (0..n_entities).map(|_| entity(random)).collect();
    let imports: Vec<Value> = imports.iter().map(|it| string(it)).collect();
    let mut members = vec![
        ("name", string(name)),
        ("uid", string(&format!("mod_{}", snake(name)))),
        ("product", string(product)),
        ("owner", string(OWNERS[random.below(OWNERS.len())])),
        ("layer", string(LAYERS[random.below(LAYERS.len())])),
        ("enabled", Value::Bool(random.below(2) == 0)),
        ("timeout_seconds", number(random.below(120))),
    ];
    if !imports.is_empty() {
        members.push(("imports", Value::Array(imports)));
    }
    members.push(("entities", Value::Array(entities)));
    object(vec![("module", object(members))])
}

fn entity(random: &mut Random) -> Value {
    let mut fields = FIELDS;
    random.shuffle(&mut fields);
    let mut chosen = fields[..2 + random.below(4)].to_vec();
    chosen.sort_unstable();
    let fields = chosen.into_iter().map(|name| {
        let kind = string(TYPES[random.below(TYPES.len())]);
        let mut members = vec![("name", string(name)), ("type", kind)];
        if random.below(3) == 0 {
            members.push(("nullable", Value::Bool(random.below(2) == 0)));
        }
        object(members)
    });
    let fields = Value::Array(fields.collect());
    object(vec![
        ("name", string(ENTITIES[random.below(ENTITIES.len())])),
        ("description", string("kept for as long as the law asks: at least 7 years")),
        ("fields", fields),
    ])
}

/// Lower case with underscores, as the template of the pack has it.
pub(crate) fn snake(name: &str) -> String {
    name.to_lowercase().replace(' ', "_")
}

pub(crate) fn string(text: &str) -> Value {
    Value::String(text.to_owned())
}

pub(crate) fn number(value: usize) -> Value {
    Value::Number(Number::from_integer(value as i128))
}

fn object(members: Vec<(&str, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}
