//! `dds approve` and `dds init-signing`: where a person gives a word, with a key or by typing.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use protocol::v1::DdsReport;
use service::dds::{KeyChoice, NegativeDecision, ProposalRegistry, Signing};

use super::super::Ctx;
use crate::failure::UsageError;
use crate::output::note;
use crate::render::dds::render;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen dds approve DDS-20260202-CODE-001 --key ~/.ssh/id_ed25519       shows it, and asks
  regreen dds approve DDS-20260202-CODE-001 --key ~/.ssh/id_ed25519 --expect sha256:…
  regreen dds approve DDS-20260202-CODE-001 --key ~/.ssh/id_ed25519.pub   the key is in the SSH agent
  regreen dds approve DDS-20260202-CODE-001 --git-key                     git's user.signingkey

The key is on another machine:
  regreen dds approve DDS-20260202-CODE-001 --print > approve.bin
  ssh-keygen -Y sign -f ~/.ssh/id_ed25519 -n regreen-dds approve.bin      there; it writes approve.bin.sig
  regreen dds approve DDS-20260202-CODE-001 --signature approve.bin.sig")]
pub(super) struct ApproveArguments {
    /// The proposal
    id: String,
    #[command(flatten)]
    key: KeyArguments,
    /// A signature that `ssh-keygen -Y sign -n regreen-dds` made of what `--print` prints; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "git_key"])]
    signature: Option<PathBuf>,
    /// The hash of the statement that you reviewed, as `dds show` prints it; without a terminal nothing is signed without it
    #[arg(long, value_name = "HASH", conflicts_with_all = ["print", "signature"])]
    expect: Option<String>,
    /// Print exactly the bytes that an approval signs, and decide nothing
    #[arg(long, conflicts_with_all = ["key", "git_key", "signature", "principal"])]
    print: bool,
    /// The name that you approve under [default: the one that the file of allowed signers has for the key]
    #[arg(long = "as", value_name = "NAME")]
    principal: Option<String>,
}

impl ApproveArguments {
    /// The proposal whose bytes are only asked for.
    pub(super) fn id_to_print(&self) -> Option<&str> {
        self.print.then_some(&self.id)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen dds init-signing --key ~/.ssh/id_ed25519.pub
  regreen dds init-signing --git-key --as ana@example.org")]
pub(super) struct SigningArguments {
    #[command(flatten)]
    key: KeyArguments,
    /// The name that the key approves under [default: git's user.email]
    #[arg(long = "as", value_name = "NAME")]
    principal: Option<String>,
}

#[derive(Debug, Args)]
struct KeyArguments {
    /// A private key, or the public key of one that the SSH agent holds
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// The key that git signs with (user.signingkey, with gpg.format = ssh)
    #[arg(long, conflicts_with = "key")]
    git_key: bool,
}

impl KeyArguments {
    fn choice(&self, ctx: &Ctx<'_>) -> Option<KeyChoice> {
        match (&self.key, self.git_key) {
            (Some(file), _) => Some(KeyChoice::File(ctx.environment.directory.join(file))),
            (None, true) => Some(KeyChoice::Git),
            (None, false) => None,
        }
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "It asks for the same proof of who you are as an approval: a key, or the id typed at a terminal.
Examples:
  regreen dds reject DDS-20260202-CODE-001 --reason \"not this way\" --key ~/.ssh/id_ed25519
  regreen dds withdraw DDS-20260202-CODE-001 --reason \"found a problem\" --git-key"
)]
pub(super) struct RefusalArguments {
    /// The proposal
    id: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: String,
    #[command(flatten)]
    key: KeyArguments,
    /// The name that you decide under [default: the one that the file of allowed signers has for the key]
    #[arg(long = "as", value_name = "NAME")]
    principal: Option<String>,
}

/// Says no, or takes a yes back, with the key that was named; without one, asks a person at a terminal to type the id.
pub(super) fn say_no(
    ctx: &Ctx<'_>,
    proposals: &ProposalRegistry<'_>,
    arguments: &RefusalArguments,
    saying: NegativeDecision<'_>,
    by: &str,
) -> Result<DdsReport> {
    if ctx.environment.is_ci {
        let message =
            "a decision must come from a person, and this is a CI job; decide from your own shell";
        return Err(UsageError(message.to_owned()).into());
    }
    let id = &arguments.id;
    if let Some(key) = arguments.key.choice(ctx) {
        let mut passphrase = || rpassword::prompt_password("Passphrase: ").ok();
        let signing = Signing {
            key,
            principal: arguments.principal.clone(),
            socket: ctx.environment.ssh_agent.clone(),
            passphrase: &mut passphrase,
        };
        return Ok(proposals.say_signed(id, saying, signing, by)?);
    }
    need_terminal()?;
    let (shown, _) = shown(ctx, proposals, id)?;
    let line = asked(ctx, &format!("{shown}\nThis will not be signed. Type {id} to decide: "))?;
    Ok(proposals.say_typed(id, saying, &line, by)?)
}

/// Shows something to who sits at the terminal, and gives the line that was typed.
fn asked(ctx: &Ctx<'_>, question: &str) -> Result<String> {
    note(question, ctx.common.color)?;
    io::stderr().flush()?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line)
}

/// Without a key somebody types, and needs a terminal for that.
fn need_terminal() -> Result<()> {
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        return Ok(());
    }
    let message = "name a key: --key FILE for a private key or for the public key of one in the SSH agent, \
                   --git-key for the one that git signs with; or bring a signature: --signature FILE; without any \
                   of them an approval is typed at a terminal, and there is none";
    Err(UsageError(message.to_owned()).into())
}

/// Approves with the key that was named or the signature that was brought; without either, asks a person at a terminal
/// to type the id.
pub(super) fn approve(
    ctx: &Ctx<'_>,
    proposals: &ProposalRegistry<'_>,
    arguments: &ApproveArguments,
    by: &str,
) -> Result<DdsReport> {
    if ctx.environment.is_ci {
        let message = "an approval must come from a person, and this is a CI job; approve from your own shell";
        return Err(UsageError(message.to_owned()).into());
    }
    if let Some(file) = &arguments.signature {
        let signature = super::read(ctx, file)?;
        let principal = arguments.principal.as_deref();
        return Ok(proposals.approve_with_signature(&arguments.id, &signature, principal, by)?);
    }
    let Some(key) = arguments.key.choice(ctx) else {
        return typed(ctx, proposals, &arguments.id, by);
    };
    let expected = match &arguments.expect {
        Some(hash) => hash.clone(),
        None => match reviewed(ctx, proposals, &arguments.id)? {
            Ok(hash) => hash,
            Err(report) => return Ok(report),
        },
    };
    let mut passphrase = || rpassword::prompt_password("Passphrase: ").ok();
    let signing = Signing {
        key,
        principal: arguments.principal.clone(),
        socket: ctx.environment.ssh_agent.clone(),
        passphrase: &mut passphrase,
    };
    Ok(proposals.approve_signed(&arguments.id, signing, &expected, by)?)
}

/// Shows what would be signed to who sits at the terminal, and asks. Gives the hash of what was shown, or what became of it.
fn reviewed(
    ctx: &Ctx<'_>,
    proposals: &ProposalRegistry<'_>,
    id: &str,
) -> Result<std::result::Result<String, DdsReport>> {
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        let message = "there is no terminal to show it at: say what you reviewed, with --expect HASH; `regreen dds show` \
                       prints the hash of the statement that is signed";
        return Err(UsageError(message.to_owned()).into());
    }
    let (shown, hash) = shown(ctx, proposals, id)?;
    let line = asked(ctx, &format!("{shown}\nSign this? Type yes: "))?;
    match line.trim() {
        "yes" => Ok(Ok(hash)),
        _ => Ok(Err(proposals.not_approved(id, "nothing was signed: yes was not typed")?)),
    }
}

/// The proposal as it is shown, and the hash of its statement.
fn shown(ctx: &Ctx<'_>, proposals: &ProposalRegistry<'_>, id: &str) -> Result<(String, String)> {
    let report = proposals.show(id)?;
    let hash = match &report {
        DdsReport::Show(it) => it.statement_hash.clone().unwrap_or_default(),
        _ => String::new(),
    };
    Ok((render(&report, ctx.common), hash))
}

fn typed(ctx: &Ctx<'_>, proposals: &ProposalRegistry<'_>, id: &str, by: &str) -> Result<DdsReport> {
    need_terminal()?;
    let (shown, hash) = shown(ctx, proposals, id)?;
    let question = format!("{shown}\nThis approval will not be signed. Type {id} to approve: ");
    let line = asked(ctx, &question)?;
    Ok(proposals.approve_typed(id, &line, &hash, by)?)
}

/// Writes a key to the file of allowed signers.
pub(super) fn init_signing(
    ctx: &Ctx<'_>,
    proposals: &ProposalRegistry<'_>,
    arguments: &SigningArguments,
) -> Result<DdsReport> {
    let Some(key) = arguments.key.choice(ctx) else {
        let message = "name the key that may approve: --key FILE, or --git-key for the one that git signs with";
        return Err(UsageError(message.to_owned()).into());
    };
    Ok(proposals.init_signing(&key, arguments.principal.as_deref())?)
}
