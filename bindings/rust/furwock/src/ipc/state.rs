// SPDX-License-Identifier: MIT
//! Which thread holds a lock, for messages and monitoring.

use furwock_sys::ipc as sys;

use super::error::{check, Error};

/// Whether a lock is held, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Held {
    /// By nobody.
    Free,
    /// By the calling thread.
    ByMe,
    /// By another thread, or by others.
    ByOther,
    /// Its owner died, and nobody has taken it since.
    OwnerDied,
    /// It cannot be taken any more: a dead owner's data were not repaired.
    Unusable,
}

/// How a lock is held; a mutex is held for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HeldMode {
    /// For reading.
    Read,
    /// For upgradable reading.
    Upgradable,
    /// For writing.
    Write,
}

/// A snapshot of a lock, which may have changed when it is read.
///
/// ```
/// # let name = format!("/furwock-doc-state-{}", std::process::id());
/// use furwock::ipc::{Held, Mutex, Region};
///
/// // SAFETY: only this program uses the region.
/// let region = unsafe { Region::options().create(true).open(&name) }?;
/// # Region::remove(&name)?;
/// let mutex = Mutex::open_or_create(&region, "m", 0_u64)?;
/// assert_eq!(mutex.state()?.held, Held::Free);
/// let guard = mutex.lock().unwrap();
/// let state = mutex.state()?;
/// assert_eq!((state.held, state.process), (Held::ByMe, std::process::id() as i32));
/// # Ok::<(), furwock::ipc::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct LockState {
    /// Whether it is held.
    pub held: Held,
    /// The strongest mode in which it is held, or was by the owner that died.
    pub mode: Option<HeldMode>,
    /// Its owner was told of a death, and has not repaired the data yet.
    pub is_inconsistent: bool,
    /// How many threads read, not counting an upgradable one.
    pub readers: u32,
    /// The owner's process, living or dead (or one of the readers); 0: none, or not known.
    pub process: i32,
    /// Its thread.
    pub thread: i32,
    /// How many acquisitions (for writing) there have been.
    pub generation: u64,
}

/// What a call of C says.
pub(super) fn state_of(
    call: impl FnOnce(*mut sys::fw_ipc_state) -> i32,
) -> Result<LockState, Error> {
    let mut state = sys::fw_ipc_state::default();
    check(call(&mut state), "look at the lock")?;
    Ok(LockState {
        held: match state.held {
            sys::FW_IPC_FREE => Held::Free,
            sys::FW_IPC_HELD_BY_ME => Held::ByMe,
            sys::FW_IPC_OWNER_DIED => Held::OwnerDied,
            sys::FW_IPC_UNUSABLE => Held::Unusable,
            _ => Held::ByOther,
        },
        mode: match state.mode {
            sys::FW_IPC_RWLOCK_READ => Some(HeldMode::Read),
            sys::FW_IPC_RWLOCK_UPGRADABLE => Some(HeldMode::Upgradable),
            sys::FW_IPC_RWLOCK_WRITE => Some(HeldMode::Write),
            _ => None,
        },
        is_inconsistent: state.is_inconsistent,
        readers: state.readers,
        process: state.process,
        thread: state.thread,
        generation: state.generation,
    })
}
