//! Candidates that change different statements of one function are tried together too, and each gets the verdict that it
//! would get alone. Why that is so:
//!
//! A function is checked statement by statement. What comes out for one of them, types and mistakes, depends on its text, on
//! the types of the names from elsewhere that it uses, on the declared types around it, and, for the last value of a block
//! and what is around it, on each other. Compare the function before with the function after all changes, and call a
//! statement touched if it was changed or if any type or name in it is another one. Touched statements that a changed
//! type connects, by a name that one binds and the other uses (before or after) or because one is in the other, make an
//! island. Let an island hold the changes of one candidate only. Were that candidate applied alone, then
//!
//! - the statements of its island would have the text that they have after all changes, and every name from outside the
//!   island that they use has the same type before and after, so they come out as they do after all changes;
//! - every other statement would have the text that it had before, and uses names of the island only if their types are
//!   the same before and after, so it comes out as it did before.
//!
//! So what is gone and what came up because of the candidate is what is gone and came up in its island. That needs some
//! care with what crosses statements in other ways:
//!
//! - A type may be settled by a later statement (`let xs = []`). Names whose types are not settled where they are bound
//!   make an island doubtful that uses them.
//! - What is proved depends on all statements before, and not only on those that share a name with the goal: facts that
//!   contradict one another prove everything behind them. Two changes may each undo a proof that both together leave as
//!   it was, so that no comparison of before and after says what each does alone. A function with goals, before or after,
//!   is therefore left out, and each of its candidates gets a check in which only that function is looked at. So is one
//!   with linear values, whose uses are counted, and what is in a lambda counts as part of the statement around it.
//! - Warnings about unused names and about code that nothing reaches depend on other statements. Only candidates for
//!   mistakes take part, for which warnings do not count, and only mistakes are said to be gone.
//! - Mistakes that are reported only when there are no others can come up only after all changes, in no island or in one:
//!   then a candidate is tried again with fewer others.
//!
//! A name that nothing uses and that gets a name which nothing mentions (W0001) changes no type and no meaning. Such candidates
//! are tried with one another only, and are doubtful if anything at all comes up.
//!
//! What is doubtful, or shares its island, is tried again with half of the others, and in the end alone.

mod islands;
mod linear;
mod regions;
mod settled;

use clank_syntax::ast::NodeId;

pub(super) use self::islands::FunctionVersions;
pub(super) use self::linear::LinearTypes;
pub(super) use self::regions::Regions;

/// The statements of one function that a candidate changes, if it changes nothing else and may be tried with others there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Region {
    /// In order.
    pub(super) items: Vec<NodeId>,
    /// Whether only a name that nothing uses gets another name.
    pub(super) is_quiet: bool,
}
