//! A person's word, bound to bytes.
//!
//! What is approved is a [`Statement`]: the record without its status, its patch, the tool's definition, the repository, a
//! nonce and an end. A signature of its bytes ([`sign()`]), in the form and with the keys of OpenSSH, goes into a [`Document`]; and
//! [`verify_approval`] makes an [`Approved`] of that document if the repository's [`AllowedSigners`] and [`Policy`] say
//! so. Where the policy permits, somebody types the record's id instead ([`approve_unsigned`]).
//!
//! A tool outside regreen comes to the same answer, with the approved bytes in a file:
//!
//! ```text
//! ssh-keygen -Y verify -f ALLOWED_SIGNERS -I PRINCIPAL -n regreen-dds -s SIGNATURE < BYTES
//! ```
//!
//! A record has as many documents as people said something about it: each is judged by itself, those that do not hold are
//! named and count for nothing, and what the rest adds up to is held against the policy.
//!
//! A1: an [`Approved`] comes from these two functions only. [`recheck`], which the executor and `verify` use, gives a
//!     [`ValidApproval`], and no way leads from that to an [`Approved`].
//! A2: no key is chosen for anybody, and none is asked for a passphrase but the one that was named.

mod confirm;
mod document;
mod git;
mod keys;
mod policy;
mod statement;
mod verify;

pub use confirm::{Confirmation, NotConfirmed};
pub use document::{Document, DocumentFault, Endorsement, SignatureEntry};
pub use git::{GitConfigError, git_email, git_origin, git_signing_key};
pub use keys::{NAMESPACE, check_signature, sign, with_signer};
pub use policy::{BadGlob, DEFAULT_APPROVAL_DAYS, DEFAULT_PROTECTED, Policy, ScopeReach, Subject};
pub use sshsig::{
    AllowedLine, AllowedSigners, BadPrincipal, Key, KeyError, LineFault, SignError, SignatureError,
    Signed, SigningKey, public_half,
};
pub use statement::{Context, Decision, Statement, ToolDefinition, expiry, sha256};
pub use verify::{
    ApprovalRefusal, Signer, Stage, VoidReason, approve_unsigned, recheck, verify, verify_approval,
    verify_no,
};

use crate::id::Id;
use crate::record::Record;
use crate::time::Moment;

/// A word that was given: the only value that makes a record approved. It is made here, from a signature that holds or
/// from a confirmation that a person typed; the worker and the executor have no way to one.
#[derive(Clone, PartialEq, Debug)]
pub struct Approved {
    held: ValidApproval,
}

/// An approval that holds. Knowing that it does is not the same as giving it.
#[derive(Clone, PartialEq, Debug)]
pub struct ValidApproval {
    dds: Id,
    /// What was approved, once per person; nothing only for [`Approved::for_tests`].
    statements: Vec<Statement>,
    by: String,
    signers: Vec<Signer>,
    approved_at: Moment,
}

impl Approved {
    /// Who gave it.
    pub fn by(&self) -> &str {
        &self.held.by
    }

    /// What is known about it.
    pub fn held(&self) -> &ValidApproval {
        &self.held
    }
}

impl ValidApproval {
    /// The record that it is about.
    pub fn dds(&self) -> &Id {
        &self.dds
    }

    /// Whether it is an approval of this record with this patch, byte by byte.
    pub fn is_about(&self, record: &Record, patch: Option<&[u8]>) -> bool {
        match self.statements.as_slice() {
            [] => cfg!(any(test, feature = "testing")),
            said => self.dds == record.id && said.iter().all(|it| it.is_about(record, patch)),
        }
    }

    /// What it says, once per person.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Who gave it.
    pub fn by(&self) -> &str {
        &self.by
    }

    /// Who signed it; nobody, if it was typed.
    pub fn signers(&self) -> &[Signer] {
        &self.signers
    }

    /// When it became whole.
    pub fn approved_at(&self) -> Moment {
        self.approved_at
    }
}

#[cfg(any(test, feature = "testing"))]
impl Approved {
    /// A word that nobody gave, for tests of what comes after it.
    pub fn for_tests(by: &str) -> Approved {
        let held = ValidApproval {
            dds: Id::parse("DDS-00000000-CODE-000").expect("an id of the right form"),
            statements: Vec::new(),
            by: by.to_owned(),
            signers: Vec::new(),
            approved_at: Moment::from_micros(0),
        };
        Approved { held }
    }
}
