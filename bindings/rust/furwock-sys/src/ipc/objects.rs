// SPDX-License-Identifier: MIT
//! The objects of a region.

use core::ffi::{c_int, c_uint, c_void};

use crate::{fw_deadline, fw_wait_policy};

/// The owner history of a lock.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs)] // internal
pub struct fw_ipc_history {
    pub generation_: u64,
    pub since_: u64,
    pub dead_: u64,
    pub dead_generation_: u64,
    pub journal_: u64,
}

/// `furwock/ipc/mutex.h`: all zeroes when free.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs)] // internal
pub struct fw_ipc_mutex {
    pub word_: u64,
    pub history_: fw_ipc_history,
}

/// `furwock/ipc/rwlock.h`: all zeroes when free.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs)] // internal
pub struct fw_ipc_rwlock {
    pub word_: u64,
    pub history_: fw_ipc_history,
    pub hint_: u64,
    pub spare_: u64,
}

/// `furwock/ipc/cond.h`: all zeroes without waiters.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs)] // internal
pub struct fw_ipc_cond {
    pub word_: u64,
    pub mutex_: u32,
    pub spin_: u32,
}

/// `furwock/ipc/sem.h`.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs)] // internal
pub struct fw_ipc_sem {
    pub word_: u64,
    pub made_: u32,
    pub spin_: u32,
}

/// `furwock/ipc/permits.h`; the permits follow.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs)] // internal
pub struct fw_ipc_permits {
    pub queue_: u64,
    pub made_: u64,
    pub spin_: u32,
    pub spare_: [u32; 11],
}

/// `furwock/ipc/barrier.h`; the party slots follow.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs)] // internal
pub struct fw_ipc_barrier {
    pub round_: u64,
    pub made_: u64,
    pub history_: u64,
    pub spin_: u32,
    pub spare_: u32,
    pub serial_: [u64; 4],
}

/// `furwock/ipc/once.h`: all zeroes before it is called.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs)] // internal
pub struct fw_ipc_once {
    pub word_: u64,
}

/// `furwock/ipc/journal.h`; the records follow.
#[repr(C)]
#[derive(Debug)]
#[allow(missing_docs)] // internal
pub struct fw_ipc_journal {
    pub used_: u64,
    pub capacity_: u64,
    pub owner_: u64,
}

/// An owner that died.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct fw_ipc_death {
    /// The process, in its own pid namespace; 0: no longer known.
    pub process: c_int,
    /// The thread.
    pub thread: c_int,
    /// The generation of its acquisition.
    pub generation: u64,
}

/// `fw_ipc_barrier_mode`: what the death of a participant does.
pub type fw_ipc_barrier_mode = c_uint;
/// The barrier breaks.
pub const FW_IPC_BARRIER_FAIL: fw_ipc_barrier_mode = 0;
/// The others go on.
pub const FW_IPC_BARRIER_GO_ON: fw_ipc_barrier_mode = 1;
/// What one waiter of each phase gets.
pub const FW_IPC_BARRIER_SERIAL: c_int = -1;
/// The largest number of participants.
pub const FW_IPC_BARRIER_MAX: u32 = 4096;

/// Read locks that one thread may hold in a region.
pub const FW_IPC_SHARES_MAX: usize = 16;
/// The largest value of a semaphore.
pub const FW_IPC_SEM_MAX: u32 = 0x7fff_ffff;
/// The largest number of permits.
pub const FW_IPC_PERMITS_MAX: u32 = 65535;
/// The word of a once when it is done (internal).
pub const FW_IPC_ONCE_DONE_: u64 = 0xffff;

/// `fw_ipc_rwlock_mode`: what the calling thread holds.
pub type fw_ipc_rwlock_mode = c_uint;
/// Nothing.
pub const FW_IPC_RWLOCK_NONE: fw_ipc_rwlock_mode = 0;
/// A read lock.
pub const FW_IPC_RWLOCK_READ: fw_ipc_rwlock_mode = 1;
/// The upgradable lock.
pub const FW_IPC_RWLOCK_UPGRADABLE: fw_ipc_rwlock_mode = 2;
/// The write lock.
pub const FW_IPC_RWLOCK_WRITE: fw_ipc_rwlock_mode = 3;

/// `fw_ipc_held`: whether a lock is held.
pub type fw_ipc_held = c_uint;
/// By nobody.
pub const FW_IPC_FREE: fw_ipc_held = 0;
/// By the calling thread.
pub const FW_IPC_HELD_BY_ME: fw_ipc_held = 1;
/// By others.
pub const FW_IPC_HELD: fw_ipc_held = 2;
/// Its owner died.
pub const FW_IPC_OWNER_DIED: fw_ipc_held = 3;
/// It is unusable.
pub const FW_IPC_UNUSABLE: fw_ipc_held = 4;

/// `furwock/ipc/state.h`: a snapshot of a lock.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct fw_ipc_state {
    /// Whether it is held.
    pub held: fw_ipc_held,
    /// In which mode.
    pub mode: fw_ipc_rwlock_mode,
    /// The owner was told of a death, and has not declared the data consistent.
    pub is_inconsistent: bool,
    /// How many threads read.
    pub readers: u32,
    /// The owner, or 0.
    pub process: c_int,
    /// The owner, or 0.
    pub thread: c_int,
    /// Acquisitions so far.
    pub generation: u64,
}

/// Beside the kind of a wait policy: it is that of an [`fw_ipc_interrupt`].
pub const FW_WAIT_INTERRUPTIBLE: c_uint = 256;

/// `furwock/ipc/interrupt.h`: a wait policy for waits that a word or a signal can end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct fw_ipc_interrupt {
    /// How to wait otherwise.
    pub policy: fw_wait_policy,
    /// Ends the wait once it is not `expected`; null: no word.
    pub word: *const u32,
    /// Its value until then.
    pub expected: u32,
    /// As in the wake.
    pub flags: u32,
    /// Not 0: a signal handler that has run ends the wait.
    pub on_signal: u32,
}

/// Repairs what a dead owner left; 0: repaired.
pub type fw_ipc_repair =
    unsafe extern "C" fn(arg: *mut c_void, death: *const fw_ipc_death) -> c_int;

/// What a record of `n` bytes takes in a journal (`FW_IPC_JOURNAL_RECORD`).
pub const fn fw_ipc_journal_record_size(n: usize) -> usize {
    n.div_ceil(8) * 8 + 16
}

#[allow(missing_docs)] // the header of the same name documents each
extern "C" {
    pub fn fw_ipc_mutex_init(m: *mut fw_ipc_mutex) -> c_int;
    pub fn fw_ipc_mutex_trylock(m: *mut fw_ipc_mutex) -> c_int;
    pub fn fw_ipc_mutex_lock(m: *mut fw_ipc_mutex) -> c_int;
    pub fn fw_ipc_mutex_timedlock(m: *mut fw_ipc_mutex, deadline: *const fw_deadline) -> c_int;
    pub fn fw_ipc_mutex_lock_policy(
        m: *mut fw_ipc_mutex,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_ipc_mutex_unlock(m: *mut fw_ipc_mutex) -> c_int;
    pub fn fw_ipc_mutex_consistent(m: *mut fw_ipc_mutex) -> c_int;
    pub fn fw_ipc_mutex_generation(m: *const fw_ipc_mutex) -> u64;
    pub fn fw_ipc_mutex_death(m: *const fw_ipc_mutex, death: *mut fw_ipc_death) -> c_int;
    pub fn fw_ipc_mutex_on_death(
        m: *mut fw_ipc_mutex,
        repair: Option<fw_ipc_repair>,
        arg: *mut c_void,
    ) -> c_int;
    pub fn fw_ipc_mutex_is_held_by_me(m: *const fw_ipc_mutex) -> bool;
    pub fn fw_ipc_mutex_journal(m: *mut fw_ipc_mutex, j: *mut fw_ipc_journal) -> c_int;

    pub fn fw_ipc_mutex_state(m: *const fw_ipc_mutex, state: *mut fw_ipc_state) -> c_int;
    pub fn fw_ipc_rwlock_state(l: *const fw_ipc_rwlock, state: *mut fw_ipc_state) -> c_int;

    pub fn fw_ipc_rwlock_init(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_tryrdlock(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_rdlock(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_timedrdlock(l: *mut fw_ipc_rwlock, deadline: *const fw_deadline) -> c_int;
    pub fn fw_ipc_rwlock_rdlock_policy(
        l: *mut fw_ipc_rwlock,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_ipc_rwlock_rdunlock(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_trywrlock(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_wrlock(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_timedwrlock(l: *mut fw_ipc_rwlock, deadline: *const fw_deadline) -> c_int;
    pub fn fw_ipc_rwlock_wrlock_policy(
        l: *mut fw_ipc_rwlock,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_ipc_rwlock_wrunlock(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_unlock(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_upgradable_trylock(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_upgradable_lock(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_upgradable_timedlock(
        l: *mut fw_ipc_rwlock,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_ipc_rwlock_upgradable_lock_policy(
        l: *mut fw_ipc_rwlock,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_ipc_rwlock_upgradable_unlock(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_tryupgrade(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_upgrade(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_timedupgrade(l: *mut fw_ipc_rwlock, deadline: *const fw_deadline)
        -> c_int;
    pub fn fw_ipc_rwlock_downgrade(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_downgrade_upgradable(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_consistent(l: *mut fw_ipc_rwlock) -> c_int;
    pub fn fw_ipc_rwlock_generation(l: *const fw_ipc_rwlock) -> u64;
    pub fn fw_ipc_rwlock_death(l: *const fw_ipc_rwlock, death: *mut fw_ipc_death) -> c_int;
    pub fn fw_ipc_rwlock_on_death(
        l: *mut fw_ipc_rwlock,
        repair: Option<fw_ipc_repair>,
        arg: *mut c_void,
    ) -> c_int;
    pub fn fw_ipc_rwlock_journal(l: *mut fw_ipc_rwlock, j: *mut fw_ipc_journal) -> c_int;
    pub fn fw_ipc_rwlock_held_by_me(l: *const fw_ipc_rwlock) -> fw_ipc_rwlock_mode;

    pub fn fw_ipc_cond_init(c: *mut fw_ipc_cond) -> c_int;
    pub fn fw_ipc_cond_wait(c: *mut fw_ipc_cond, m: *mut fw_ipc_mutex) -> c_int;
    pub fn fw_ipc_cond_timedwait(
        c: *mut fw_ipc_cond,
        m: *mut fw_ipc_mutex,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_ipc_cond_wait_policy(
        c: *mut fw_ipc_cond,
        m: *mut fw_ipc_mutex,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_ipc_cond_signal(c: *mut fw_ipc_cond) -> c_int;
    pub fn fw_ipc_cond_broadcast(c: *mut fw_ipc_cond) -> c_int;

    pub fn fw_ipc_sem_init(s: *mut fw_ipc_sem, value: u32, max: u32) -> c_int;
    pub fn fw_ipc_sem_trywait(s: *mut fw_ipc_sem) -> c_int;
    pub fn fw_ipc_sem_wait(s: *mut fw_ipc_sem) -> c_int;
    pub fn fw_ipc_sem_timedwait(s: *mut fw_ipc_sem, deadline: *const fw_deadline) -> c_int;
    pub fn fw_ipc_sem_wait_policy(
        s: *mut fw_ipc_sem,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_ipc_sem_post(s: *mut fw_ipc_sem) -> c_int;
    pub fn fw_ipc_sem_post_n(s: *mut fw_ipc_sem, n: u32) -> c_int;
    pub fn fw_ipc_sem_value(s: *const fw_ipc_sem) -> u32;

    pub fn fw_ipc_permits_size(n: u32) -> usize;
    pub fn fw_ipc_permits_init(u: *mut fw_ipc_permits, n: u32) -> c_int;
    pub fn fw_ipc_permits_trywait(u: *mut fw_ipc_permits) -> c_int;
    pub fn fw_ipc_permits_wait(u: *mut fw_ipc_permits) -> c_int;
    pub fn fw_ipc_permits_timedwait(u: *mut fw_ipc_permits, deadline: *const fw_deadline) -> c_int;
    pub fn fw_ipc_permits_wait_policy(
        u: *mut fw_ipc_permits,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_ipc_permits_take(
        u: *mut fw_ipc_permits,
        permit: *mut u32,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_ipc_permits_post(u: *mut fw_ipc_permits) -> c_int;
    pub fn fw_ipc_permits_give(u: *mut fw_ipc_permits, permit: u32) -> c_int;
    pub fn fw_ipc_permits_count(u: *const fw_ipc_permits) -> u32;
    pub fn fw_ipc_permits_value(u: *const fw_ipc_permits) -> u32;
    pub fn fw_ipc_permits_held_by_me(u: *const fw_ipc_permits) -> u32;

    pub fn fw_ipc_barrier_size(parties: u32) -> usize;
    pub fn fw_ipc_barrier_init(
        b: *mut fw_ipc_barrier,
        parties: u32,
        mode: fw_ipc_barrier_mode,
    ) -> c_int;
    pub fn fw_ipc_barrier_join(b: *mut fw_ipc_barrier) -> c_int;
    pub fn fw_ipc_barrier_wait(b: *mut fw_ipc_barrier) -> c_int;
    pub fn fw_ipc_barrier_timedwait(b: *mut fw_ipc_barrier, deadline: *const fw_deadline) -> c_int;
    pub fn fw_ipc_barrier_wait_policy(
        b: *mut fw_ipc_barrier,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_ipc_barrier_arrive(b: *mut fw_ipc_barrier, token: *mut u64) -> c_int;
    pub fn fw_ipc_barrier_await(b: *mut fw_ipc_barrier, token: u64) -> c_int;
    pub fn fw_ipc_barrier_leave(b: *mut fw_ipc_barrier) -> c_int;
    pub fn fw_ipc_barrier_reset(b: *mut fw_ipc_barrier) -> c_int;
    pub fn fw_ipc_barrier_round(b: *const fw_ipc_barrier) -> u32;
    pub fn fw_ipc_barrier_death(b: *const fw_ipc_barrier, death: *mut fw_ipc_death) -> c_int;

    #[link_name = "fw_ipc_once_call_slow_abi1_"]
    pub fn fw_ipc_once_call_slow_(
        o: *mut fw_ipc_once,
        init: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
        arg: *mut c_void,
    ) -> c_int;
    pub fn fw_ipc_once_is_left(o: *const fw_ipc_once) -> bool;

    pub fn fw_ipc_journal_size(capacity: usize) -> usize;
    pub fn fw_ipc_journal_init(j: *mut fw_ipc_journal, capacity: usize) -> c_int;
    pub fn fw_ipc_journal_record(j: *mut fw_ipc_journal, p: *const c_void, n: usize) -> c_int;
    pub fn fw_ipc_journal_undo(j: *mut fw_ipc_journal) -> c_int;
    pub fn fw_ipc_journal_commit(j: *mut fw_ipc_journal) -> c_int;
}
