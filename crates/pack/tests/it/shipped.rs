//! The example workspace is red where its README says, and `fix` mends what its README says.

use check::Safety;
use fixture::case::Files;
use fixture::corpus::texts_under;

use super::cases::{pack_files, repository};
use super::laws::{check_laws, lost_comments};
use super::trial::{Trial, files_of, lines, load_pack};

fn example() -> Trial {
    let folder = repository().join("examples/app-workspace");
    let files: Files = texts_under(&folder, "")
        .into_iter()
        .filter(|(path, _)| !path.starts_with("packs/"))
        .collect();
    let pack = load_pack(&pack_files("examples/app-workspace/packs/app"));
    let is_policy_on = |id: &str| id == "POL_MODULE_OWNER" || id == "POL_NO_DEBUG_ENDPOINTS";
    Trial::new(files, vec![pack], &is_policy_on)
}

#[test]
fn the_example_workspace_is_red_in_every_way() {
    let trial = example();
    let outcome = check_laws("the example workspace", &trial);
    insta::assert_snapshot!(lines(&outcome.start).join("\n"), @r#"
    SEM_IDENTITY_SINGLE_SOURCE app.lock.json#/app_uid error | behavior_changing, high: Change `app_harbour_shop` to `app_harbor_shop`
    SEM_LOCK_SORTED app.lock.json#/modules warning | behavior_preserving, high: Sort the list
    SCHEMA_REQUIRED app/app-core.yaml#/app/expression_language error | likely_preserving, high: Add `expression_language` with its declared value "cel"
    SCHEMA_TYPE config/production.toml#/http/port error | likely_preserving, high: Write `port` as 8080
    SEM_LOGGING_LEVEL config/production.toml#/logging/verbosity warning | likely_preserving, high: Rename `verbosity` to `level`
    SEM_TLS_PAIR config/staging.toml#/tls error
    SCHEMA_ENUM modules/billing.yaml#/entities/0/fields/2/type error | likely_preserving, high: Change `Money` to `money`
    SCHEMA_UNKNOWN_KEY modules/catalog.yaml#/entities/0/discription error | behavior_changing, medium: Rename `discription` to `description`
    SCHEMA_DEPRECATED_KEY modules/catalog.yaml#/module/scope warning | likely_preserving, high: Rename the deprecated `scope` to `visibility`
    SCHEMA_JSON_DIALECT modules/customers.json# warning
    SEM_ENTITY_NAME_UNIQUE modules/customers.json#/entities/1/name error
    SCHEMA_UNIQUE_ITEMS modules/customers.json#/module/tags error | likely_preserving, high: Remove the repeated item of `tags`
    POL_MODULE_OWNER modules/order-history.toml#/module warning
    SEM_ENTITY_TARGET_EXISTS modules/shipping.yaml#/entities/0/fields/0/target error | behavior_changing, medium: Change `Custmer` to `Customer`
    "#);
    insta::assert_snapshot!(lines(&outcome.fixed.end).join("\n"), @r"
    SEM_TLS_PAIR config/staging.toml#/tls error
    SCHEMA_JSON_DIALECT modules/customers.json# warning
    SEM_ENTITY_NAME_UNIQUE modules/customers.json#/entities/1/name error
    POL_MODULE_OWNER modules/order-history.toml#/module warning
    ");
    let after = files_of(&outcome.fixed.end.snapshot);
    assert_eq!(lost_comments(&trial.files, &after), Vec::<String>::new());
}

#[test]
fn a_plain_fix_leaves_the_guesses_of_the_example_to_people() {
    let trial = example();
    let outcome = trial.run(Safety::LikelyPreserving, false);
    insta::assert_snapshot!(lines(&outcome.fixed.end).join("\n"), @r"
    SEM_IDENTITY_SINGLE_SOURCE app.lock.json#/app_uid error | behavior_changing, high: Change `app_harbour_shop` to `app_harbor_shop`
    SEM_TLS_PAIR config/staging.toml#/tls error
    SCHEMA_UNKNOWN_KEY modules/catalog.yaml#/entities/0/discription error | behavior_changing, medium: Rename `discription` to `description`
    SCHEMA_JSON_DIALECT modules/customers.json# warning
    SEM_ENTITY_NAME_UNIQUE modules/customers.json#/entities/1/name error
    POL_MODULE_OWNER modules/order-history.toml#/module warning
    SEM_ENTITY_TARGET_EXISTS modules/shipping.yaml#/entities/0/fields/0/target error | behavior_changing, medium: Change `Custmer` to `Customer`
    ");
    assert_eq!(outcome.fixed.applied.len(), 7);
    assert_eq!(outcome.fixed.passes, 1);
    let shipping = &files_of(&outcome.fixed.end.snapshot)["modules/shipping.yaml"];
    assert_eq!(
        shipping, &trial.files["modules/shipping.yaml"],
        "a file without a safe repair is not touched"
    );
}
