//! Which system calls a job is refused, as programs that the kernel runs before every call.
//!
//! A filter sees numbers only, never what a pointer points to, so a call is refused whole where its path
//! cannot be judged. Calls that neither level hands out and that `bwrap` itself does not make go into
//! [`common`]; those that it makes, mounts and namespaces, into [`within`], which holds from the job's first
//! instruction on. [`alone`] holds what Landlock does not cover: modes, owners, times and attributes of files,
//! sockets, other processes of the same user.

use std::collections::BTreeMap;

use rustix::process::Pid;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

use crate::SandboxError;
use crate::linux::system;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

// Numbers from 424 on are the same on every architecture; `libc` does not name these on all of them.
const SYS_QUOTACTL_FD: i64 = 443;
const SYS_FCHMODAT2: i64 = 452;
const SYS_SETXATTRAT: i64 = 463;
const SYS_REMOVEXATTRAT: i64 = 466;
const SYS_FILE_SETATTR: i64 = 469;
#[cfg(target_arch = "x86_64")]
const SYS_SETRLIMIT: i64 = libc::SYS_setrlimit;
#[cfg(not(target_arch = "x86_64"))]
const SYS_SETRLIMIT: i64 = 164;

const SYS_OPEN_TREE_ATTR: i64 = 467;

const SYS_KEXEC_FILE_LOAD: i64 = if cfg!(target_arch = "x86_64") { 320 } else { 294 };

/// The flags of `clone` and `unshare` that make a namespace. In a new user namespace a job has all capabilities
/// again, and with them the parts of the kernel that are attacked most.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];
// Of `unshare` alone: `clone` has the number of a signal there.
const CLONE_NEWTIME: i32 = 0x80;

/// Set-user-id and set-group-id: with one of them, a file that a job makes as root runs as root for whoever
/// reaches it.
const PRIVILEGED_MODES: [u64; 2] = [0o4000, 0o2000];
const CREATES: [i32; 2] = [libc::O_CREAT, 0o20_000_000];

const FICLONE: u64 = 0x4004_9409;
const FICLONERANGE: u64 = 0x4020_940d;
const TIOCSTI: u64 = 0x5412;
const TIOCLINUX: u64 = 0x541c;
const FS_IOC_GETFLAGS: u64 = 0x8008_6601;
const FS_IOC_FIEMAP: u64 = 0xc020_660b;

/// What a filter must know about the job.
pub(crate) struct Knows {
    /// The process that ends the job; the job must not end it first.
    pub(crate) killer: Pid,
    pub(crate) network: bool,
    /// Whether the mode and times of an open file may be changed: if nothing that can be opened is the user's
    /// own except what the job is for.
    pub(crate) modes: bool,
}

/// What no job may do, with or without namespaces: rings that pass no filter, keys of the session, programs
/// in the kernel, the machine's modules, clock, swap and log, sockets of odd families, files that run as their
/// owner, and changing the mark by which its processes are found.
pub(crate) fn common() -> Result<Vec<BpfProgram>, SandboxError> {
    build_common()
        .map_err(|error| system("make a filter of system calls", std::io::Error::other(error)))
}

/// Mounts and namespaces.
pub(crate) fn within() -> Result<BpfProgram, SandboxError> {
    build_within()
        .map_err(|error| system("make a filter of system calls", std::io::Error::other(error)))
}

/// The filter as `bwrap --seccomp` reads it.
pub(crate) fn to_bytes(program: &BpfProgram) -> Vec<u8> {
    let step = |step: &seccompiler::sock_filter| {
        let ([a, b], [c, d, e, f]) = (step.code.to_ne_bytes(), step.k.to_ne_bytes());
        [a, b, step.jt, step.jf, c, d, e, f]
    };
    program.iter().flat_map(step).collect()
}

/// What only namespaces would otherwise hold off.
pub(crate) fn alone(knows: &Knows) -> Result<Vec<BpfProgram>, SandboxError> {
    build_alone(knows)
        .map_err(|error| system("make a filter of system calls", std::io::Error::other(error)))
}

/// Puts the calling thread, and all that it starts, behind the filters for ever.
pub(crate) fn apply(filters: &[BpfProgram]) -> Result<(), SandboxError> {
    for filter in filters {
        seccompiler::apply_filter(filter).map_err(|error| {
            system("apply a filter of system calls", std::io::Error::other(error))
        })?;
    }
    Ok(())
}

fn build_common() -> Result<Vec<BpfProgram>, BackendError> {
    let mut rules = Rules::new();
    refuse(
        &mut rules,
        &[
            libc::SYS_io_uring_setup,
            libc::SYS_io_uring_enter,
            libc::SYS_io_uring_register,
            libc::SYS_add_key,
            libc::SYS_keyctl,
            libc::SYS_request_key,
            libc::SYS_bpf,
            libc::SYS_perf_event_open,
            libc::SYS_open_by_handle_at,
            libc::SYS_userfaultfd,
            libc::SYS_fanotify_init,
            libc::SYS_setns,
            libc::SYS_init_module,
            libc::SYS_finit_module,
            libc::SYS_delete_module,
            libc::SYS_kexec_load,
            SYS_KEXEC_FILE_LOAD,
            libc::SYS_reboot,
            libc::SYS_swapon,
            libc::SYS_swapoff,
            libc::SYS_acct,
            libc::SYS_quotactl,
            SYS_QUOTACTL_FD,
            libc::SYS_settimeofday,
            libc::SYS_clock_settime,
            libc::SYS_syslog,
            libc::SYS_vhangup,
        ],
    );
    #[cfg(target_arch = "x86_64")]
    refuse(&mut rules, &[libc::SYS_iopl, libc::SYS_ioperm]);
    privileged_modes(&mut rules)?;
    let families = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
    when(
        &mut rules,
        libc::SYS_socket,
        families.iter().map(|family| is_not(0, number(*family))).collect(),
    )?;
    let mark = u64::from(libc::RLIMIT_RTTIME);
    when(&mut rules, SYS_SETRLIMIT, vec![is(0, mark)])?;
    when(&mut rules, libc::SYS_prlimit64, vec![is(1, mark), pointer_given(2)])?;
    // Typing into a terminal.
    for request in [TIOCSTI, TIOCLINUX] {
        when(&mut rules, libc::SYS_ioctl, vec![is(1, request)])?;
    }
    // Flags and modes behind a pointer cannot be judged. "Not there" and not "forbidden": whoever calls them
    // goes on with the older calls then.
    let mut newer = Rules::new();
    refuse(&mut newer, &[libc::SYS_clone3, libc::SYS_openat2]);
    let mut programs = vec![program(rules, libc::EPERM)?, program(newer, libc::ENOSYS)?];
    programs.extend(foreign_numbers());
    Ok(programs)
}

fn build_within() -> Result<BpfProgram, BackendError> {
    let mut rules = Rules::new();
    refuse(
        &mut rules,
        &[
            libc::SYS_mount,
            libc::SYS_umount2,
            libc::SYS_pivot_root,
            libc::SYS_chroot,
            libc::SYS_open_tree,
            SYS_OPEN_TREE_ATTR,
            libc::SYS_move_mount,
            libc::SYS_fsopen,
            libc::SYS_fsconfig,
            libc::SYS_fsmount,
            libc::SYS_fspick,
            libc::SYS_mount_setattr,
            libc::SYS_sethostname,
            libc::SYS_setdomainname,
        ],
    );
    for flag in NAMESPACES {
        when(&mut rules, libc::SYS_clone, vec![has(0, number(flag))])?;
    }
    for flag in NAMESPACES.into_iter().chain([CLONE_NEWTIME]) {
        when(&mut rules, libc::SYS_unshare, vec![has(0, number(flag))])?;
    }
    program(rules, libc::EPERM)
}

/// Files that run as their owner are neither made nor become such.
fn privileged_modes(rules: &mut Rules) -> Result<(), BackendError> {
    for mode in PRIVILEGED_MODES {
        when(rules, libc::SYS_fchmod, vec![has(1, mode)])?;
        when(rules, libc::SYS_fchmodat, vec![has(2, mode)])?;
        when(rules, SYS_FCHMODAT2, vec![has(2, mode)])?;
        when(rules, libc::SYS_mknodat, vec![has(2, mode)])?;
        for creates in CREATES {
            // The mode is whatever the register held unless a file is made.
            when(rules, libc::SYS_openat, vec![has(2, number(creates)), has(3, mode)])?;
        }
        #[cfg(target_arch = "x86_64")]
        {
            when(rules, libc::SYS_chmod, vec![has(1, mode)])?;
            when(rules, libc::SYS_creat, vec![has(1, mode)])?;
            when(rules, libc::SYS_mknod, vec![has(1, mode)])?;
            for creates in CREATES {
                when(rules, libc::SYS_open, vec![has(1, number(creates)), has(2, mode)])?;
            }
        }
    }
    Ok(())
}

fn build_alone(knows: &Knows) -> Result<Vec<BpfProgram>, BackendError> {
    let mut rules = Rules::new();
    files(&mut rules, knows.modes)?;
    sockets(&mut rules, knows.network)?;
    processes(&mut rules, knows.killer)?;
    let mut attributes = Rules::new();
    // "Not supported" and not "forbidden": whoever copies attributes goes on without them then.
    refuse(
        &mut attributes,
        &[
            libc::SYS_setxattr,
            libc::SYS_lsetxattr,
            libc::SYS_fsetxattr,
            SYS_SETXATTRAT,
            libc::SYS_removexattr,
            libc::SYS_lremovexattr,
            libc::SYS_fremovexattr,
            SYS_REMOVEXATTRAT,
            SYS_FILE_SETATTR,
        ],
    );
    Ok(vec![
        program(rules, libc::EPERM)?,
        program(attributes, libc::EOPNOTSUPP)?,
        program(device_controls()?, libc::ENOTTY)?,
    ])
}

/// Modes, owners and times. By path they reach every file of the user; by an open file only what could be
/// opened.
fn files(rules: &mut Rules, modes: bool) -> Result<(), BackendError> {
    refuse(rules, &[libc::SYS_fchmodat, SYS_FCHMODAT2, libc::SYS_fchown, libc::SYS_fchownat]);
    #[cfg(target_arch = "x86_64")]
    refuse(
        rules,
        &[
            libc::SYS_chmod,
            libc::SYS_chown,
            libc::SYS_lchown,
            libc::SYS_utime,
            libc::SYS_utimes,
            libc::SYS_futimesat,
        ],
    );
    if modes {
        return when(rules, libc::SYS_utimensat, vec![pointer_given(1)]);
    }
    refuse(rules, &[libc::SYS_fchmod, libc::SYS_utimensat]);
    Ok(())
}

/// Landlock does not judge who connects to a socket in the file system, and behind one may be a service that
/// runs programs. So there are none, except pairs: those of datagrams could still be pointed at another
/// address.
fn sockets(rules: &mut Rules, network: bool) -> Result<(), BackendError> {
    for datagrams in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
        let kind =
            condition(1, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(0xf), number(datagrams));
        when(rules, libc::SYS_socketpair, vec![kind])?;
    }
    if !network {
        refuse(rules, &[libc::SYS_socket, libc::SYS_connect, libc::SYS_bind, libc::SYS_listen]);
        return Ok(());
    }
    when(rules, libc::SYS_socket, vec![is(0, number(libc::AF_UNIX))])?;
    when(
        rules,
        libc::SYS_socket,
        vec![is(0, number(libc::AF_NETLINK)), is_not(2, number(libc::NETLINK_ROUTE))],
    )
}

/// Processes outside that belong to the same user, and the one inside that must outlive the job.
fn processes(rules: &mut Rules, killer: Pid) -> Result<(), BackendError> {
    refuse(
        rules,
        &[
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
            libc::SYS_process_madvise,
            libc::SYS_pidfd_getfd,
            libc::SYS_kcmp,
            libc::SYS_migrate_pages,
            libc::SYS_mq_open,
            libc::SYS_mq_unlink,
            libc::SYS_shmget,
            libc::SYS_shmat,
            libc::SYS_shmctl,
            libc::SYS_semget,
            libc::SYS_semctl,
            libc::SYS_semop,
            libc::SYS_semtimedop,
            libc::SYS_msgget,
            libc::SYS_msgctl,
            libc::SYS_msgsnd,
            libc::SYS_msgrcv,
        ],
    );
    when(rules, libc::SYS_prlimit64, vec![is_not(0, 0), pointer_given(2)])?;
    for other in [
        libc::SYS_sched_setscheduler,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setattr,
        libc::SYS_sched_setaffinity,
        libc::SYS_move_pages,
    ] {
        when(rules, other, vec![is_not(0, 0)])?;
    }
    for other in [libc::SYS_setpriority, libc::SYS_ioprio_set] {
        when(rules, other, vec![is_not(1, 0)])?;
    }
    let killer = killer.as_raw_nonzero().get();
    for target in [killer, -killer, -1] {
        when(rules, libc::SYS_kill, vec![is(0, number(target))])?;
    }
    for call in [
        libc::SYS_tkill,
        libc::SYS_tgkill,
        libc::SYS_rt_sigqueueinfo,
        libc::SYS_rt_tgsigqueueinfo,
        libc::SYS_pidfd_open,
    ] {
        when(rules, call, vec![is(0, number(killer))])?;
    }
    // An open file can be told to send a signal of choice to a process of choice, and to keep others waiting who
    // want to write it.
    for command in [libc::F_SETOWN, F_SETOWN_EX, libc::F_SETLEASE, libc::F_NOTIFY] {
        when(rules, libc::SYS_fcntl, vec![is(1, number(command))])?;
    }
    Ok(())
}

const F_SETOWN_EX: i32 = 15;

/// Requests to devices and file systems that are let through: those of terminals, pipes and the network,
/// copies by reference, and two questions. Many of the rest change a file that is only open for reading.
fn device_controls() -> Result<Rules, BackendError> {
    let command = |operator, value| condition(1, SeccompCmpArgLen::Dword, operator, value);
    let questions =
        || [FICLONE, FICLONERANGE, FS_IOC_GETFLAGS, FS_IOC_FIEMAP].map(|value| is_not(1, value));
    let mut rules = Rules::new();
    let call = libc::SYS_ioctl;
    when(&mut rules, call, vec![command(SeccompCmpOp::Lt, 0x5400)])?;
    when(
        &mut rules,
        call,
        vec![command(SeccompCmpOp::Gt, 0x54ff), command(SeccompCmpOp::Lt, 0x8900)],
    )?;
    when(
        &mut rules,
        call,
        [command(SeccompCmpOp::Gt, 0x89ff)].into_iter().chain(questions()).collect(),
    )?;
    // Typing into a terminal, and naming who gets a signal from a socket.
    for value in [TIOCSTI, TIOCLINUX, 0x8901, 0x8902] {
        when(&mut rules, call, vec![is(1, value)])?;
    }
    Ok(rules)
}

fn program(rules: Rules, error: i32) -> Result<BpfProgram, BackendError> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    let refusal = SeccompAction::Errno(error.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refusal, architecture)?.try_into()
}

/// The same kernel may offer the same calls by a second set of numbers, which no rule above would know.
#[cfg(target_arch = "x86_64")]
fn foreign_numbers() -> Option<BpfProgram> {
    const X32: u32 = 0x4000_0000;
    let step = |code, jt, jf, k| seccompiler::sock_filter { code, jt, jf, k };
    Some(vec![
        step(0x20, 0, 0, 0),   // load the number of the call
        step(0x35, 0, 1, X32), // is it at least this one
        step(0x06, 0, 0, SeccompAction::KillProcess.into()),
        step(0x06, 0, 0, SeccompAction::Allow.into()),
    ])
}

#[cfg(not(target_arch = "x86_64"))]
fn foreign_numbers() -> Option<BpfProgram> {
    None
}

fn refuse(rules: &mut Rules, calls: &[i64]) {
    for call in calls {
        // No rule at all means that every such call matches.
        rules.insert(*call, Vec::new());
    }
}

/// Refuses the call when all conditions hold.
fn when(
    rules: &mut Rules,
    call: i64,
    conditions: Vec<Result<SeccompCondition, BackendError>>,
) -> Result<(), BackendError> {
    let conditions = conditions.into_iter().collect::<Result<Vec<_>, _>>()?;
    rules.entry(call).or_default().push(SeccompRule::new(conditions)?);
    Ok(())
}

fn condition(
    argument: u8,
    length: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, length, operator, value)
}

fn is(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

/// Whether the bit is set.
fn has(argument: u8, bit: u64) -> Result<SeccompCondition, BackendError> {
    condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(bit), bit)
}

fn pointer_given(argument: u8) -> Result<SeccompCondition, BackendError> {
    condition(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)
}

/// A C `int` as a filter sees it.
fn number(value: i32) -> u64 {
    u64::from(value.cast_unsigned())
}
