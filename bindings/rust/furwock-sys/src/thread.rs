// SPDX-License-Identifier: MIT
//! Locks for the threads of one process.

use core::ffi::{c_int, c_uint, c_void};

use crate::{fw_deadline, fw_wait_policy};

/// `include/furwock/mutex.h`: all zeroes when free.
#[repr(C)]
#[derive(Debug)]
pub struct fw_mutex {
    /// Internal.
    pub state_: u64,
}

/// A free mutex.
pub const FW_MUTEX_INIT: fw_mutex = fw_mutex { state_: 0 };

/// `include/furwock/rwlock.h`: all zeroes when free and of the default kind.
#[repr(C)]
#[derive(Debug)]
pub struct fw_rwlock {
    /// Internal.
    pub state_: u64,
    /// Internal.
    pub queue_: u64,
}

/// Who goes first: one of the `FW_RWLOCK_...`.
pub type fw_rwlock_kind = c_uint;

/// Phase-fair.
pub const FW_RWLOCK_FAIR: fw_rwlock_kind = 0;
/// Readers may starve writers.
pub const FW_RWLOCK_PREFER_READERS: fw_rwlock_kind = 1;
/// Writers may starve readers.
pub const FW_RWLOCK_PREFER_WRITERS: fw_rwlock_kind = 2;
/// Running threads pass sleeping writers.
pub const FW_RWLOCK_GREEDY: fw_rwlock_kind = 3;

/// A free lock that is phase-fair.
pub const FW_RWLOCK_INIT: fw_rwlock = fw_rwlock { state_: 0, queue_: 0 };
/// A free lock that prefers readers.
pub const FW_RWLOCK_INIT_READERS: fw_rwlock = fw_rwlock { state_: 0, queue_: 1 };
/// A free lock that prefers writers.
pub const FW_RWLOCK_INIT_WRITERS: fw_rwlock = fw_rwlock { state_: 0, queue_: 2 };
/// A free lock that is greedy.
pub const FW_RWLOCK_INIT_GREEDY: fw_rwlock = fw_rwlock { state_: 0, queue_: 3 };

/// `include/furwock/cond.h`: all zeroes when no thread waits.
#[repr(C)]
#[derive(Debug)]
pub struct fw_cond {
    /// Internal.
    pub seq_: u32,
    /// Internal.
    pub waiters_: u32,
}

/// A condition variable without waiters.
pub const FW_COND_INIT: fw_cond = fw_cond { seq_: 0, waiters_: 0 };

/// `include/furwock/once.h`: all zeroes at first.
#[repr(C)]
#[derive(Debug)]
pub struct fw_once {
    /// Internal.
    pub state_: u32,
}

/// An initialisation that has not run.
pub const FW_ONCE_INIT: fw_once = fw_once { state_: 0 };

/// `include/furwock/sem.h`: all zeroes without units and without a limit.
#[repr(C)]
#[derive(Debug)]
pub struct fw_sem {
    /// Internal.
    pub state_: u64,
    /// Internal.
    pub limit_: u32,
    /// Internal.
    pub guess_: u32,
    /// Internal.
    pub spin_: u32,
    /// Internal.
    pub unused_: u32,
}

/// The largest value, and the maximum if none is given.
pub const FW_SEM_MAX: u32 = 0x7fff_ffff;

/// A semaphore with n units, at most [`FW_SEM_MAX`].
#[must_use]
pub const fn FW_SEM_INIT(n: u32) -> fw_sem {
    fw_sem { state_: n as u64, limit_: 0, guess_: n, spin_: 0, unused_: 0 }
}

/// `include/furwock/event.h`: all zeroes: a manual event that is not set.
#[repr(C)]
#[derive(Debug)]
pub struct fw_event {
    /// Internal.
    pub state_: u64,
    /// Internal.
    pub kind_: u32,
    /// Internal.
    pub guess_: u32,
    /// Internal.
    pub spin_: u32,
    /// Internal.
    pub unused_: u32,
}

/// Whether an event stays set: one of the `FW_EVENT_...`.
pub type fw_event_kind = c_uint;

/// Stays set.
pub const FW_EVENT_MANUAL: fw_event_kind = 0;
/// Releases one thread.
pub const FW_EVENT_AUTO: fw_event_kind = 1;

/// A manual event that is not set.
pub const FW_EVENT_INIT: fw_event =
    fw_event { state_: 0, kind_: 0, guess_: 0, spin_: 0, unused_: 0 };
/// An automatic event that is not set.
pub const FW_EVENT_INIT_AUTO: fw_event = fw_event { kind_: FW_EVENT_AUTO, ..FW_EVENT_INIT };

/// `include/furwock/barrier.h`.
#[repr(C)]
#[derive(Debug)]
pub struct fw_barrier {
    /// Internal.
    pub state_: u64,
    /// Internal.
    pub parties_: u32,
    /// Internal.
    pub generation_: u32,
}

/// What [`fw_barrier_wait`] returns to one thread of each phase.
pub const FW_BARRIER_SERIAL: c_int = -1;
/// The largest number of participants.
pub const FW_BARRIER_MAX: u32 = 0x3f_ffff;

/// A constant number of participants, from 1 to [`FW_BARRIER_MAX`].
#[must_use]
pub const fn FW_BARRIER_INIT(parties: u32) -> fw_barrier {
    fw_barrier { state_: parties as u64, parties_: parties, generation_: 0 }
}

/// `include/furwock/latch.h`: a latch whose bytes are zero is open.
#[repr(C)]
#[derive(Debug)]
pub struct fw_latch {
    /// Internal.
    pub state_: u32,
}

/// The most that a latch can count.
pub const FW_LATCH_MAX: u32 = 0x3fff_ffff;

/// A latch with a count of n, at most [`FW_LATCH_MAX`].
#[must_use]
pub const fn FW_LATCH_INIT(n: u32) -> fw_latch {
    fw_latch { state_: n }
}

/// `include/furwock/brlock.h`: to be initialised by [`fw_brlock_init`].
#[repr(C)]
#[derive(Debug)]
pub struct fw_brlock {
    /// Internal.
    pub owner_: u32,
    /// Internal.
    pub counters_: u32,
    /// Internal.
    pub lines_: *mut c_void,
}

/// What an [`fw_any`] points to: one of the `FW_ANY_...`.
pub type fw_any_kind = c_uint;

/// An [`fw_sem`].
pub const FW_ANY_SEM: fw_any_kind = 1;
/// An [`fw_event`].
pub const FW_ANY_EVENT: fw_any_kind = 2;
/// An [`fw_latch`].
pub const FW_ANY_LATCH: fw_any_kind = 3;

/// `include/furwock/any.h`: one object of a wait for any of several.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct fw_any {
    /// One of the `FW_ANY_...`.
    pub kind: fw_any_kind,
    /// The object, of that kind.
    pub object: *mut c_void,
}

/// The largest number of objects in one call of [`fw_wait_any`].
pub const FW_ANY_MAX: c_uint = 128;

/// What [`fw_mutex_await`] evaluates, in whatever thread releases the mutex.
pub type fw_predicate = unsafe extern "C" fn(*mut c_void) -> bool;

#[allow(missing_docs)] // the headers document each
extern "C" {
    pub fn fw_mutex_init(m: *mut fw_mutex);
    pub fn fw_mutex_trylock(m: *mut fw_mutex) -> c_int;
    pub fn fw_mutex_lock(m: *mut fw_mutex);
    pub fn fw_mutex_timedlock(m: *mut fw_mutex, deadline: *const fw_deadline) -> c_int;
    pub fn fw_mutex_lock_policy(
        m: *mut fw_mutex,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_mutex_unlock(m: *mut fw_mutex);
    pub fn fw_mutex_unlock_fair(m: *mut fw_mutex);
    pub fn fw_mutex_await(m: *mut fw_mutex, predicate: Option<fw_predicate>, arg: *mut c_void);
    pub fn fw_mutex_timedawait(
        m: *mut fw_mutex,
        predicate: Option<fw_predicate>,
        arg: *mut c_void,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_mutex_owner(m: *const fw_mutex) -> c_int;
    pub fn fw_mutex_is_held_by_me(m: *const fw_mutex) -> bool;
    pub fn fw_rwlock_init(l: *mut fw_rwlock, kind: fw_rwlock_kind) -> c_int;
    pub fn fw_rwlock_tryrdlock(l: *mut fw_rwlock) -> c_int;
    pub fn fw_rwlock_rdlock(l: *mut fw_rwlock);
    pub fn fw_rwlock_timedrdlock(l: *mut fw_rwlock, deadline: *const fw_deadline) -> c_int;
    pub fn fw_rwlock_rdlock_policy(
        l: *mut fw_rwlock,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_rwlock_rdunlock(l: *mut fw_rwlock);
    pub fn fw_rwlock_trywrlock(l: *mut fw_rwlock) -> c_int;
    pub fn fw_rwlock_wrlock(l: *mut fw_rwlock);
    pub fn fw_rwlock_timedwrlock(l: *mut fw_rwlock, deadline: *const fw_deadline) -> c_int;
    pub fn fw_rwlock_wrlock_policy(
        l: *mut fw_rwlock,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_rwlock_wrunlock(l: *mut fw_rwlock);
    pub fn fw_rwlock_unlock(l: *mut fw_rwlock);
    pub fn fw_rwlock_upgradable_trylock(l: *mut fw_rwlock) -> c_int;
    pub fn fw_rwlock_upgradable_lock(l: *mut fw_rwlock);
    pub fn fw_rwlock_upgradable_timedlock(l: *mut fw_rwlock, deadline: *const fw_deadline)
        -> c_int;
    pub fn fw_rwlock_upgradable_lock_policy(
        l: *mut fw_rwlock,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_rwlock_upgradable_unlock(l: *mut fw_rwlock);
    pub fn fw_rwlock_tryupgrade(l: *mut fw_rwlock) -> c_int;
    pub fn fw_rwlock_upgrade(l: *mut fw_rwlock);
    pub fn fw_rwlock_timedupgrade(l: *mut fw_rwlock, deadline: *const fw_deadline) -> c_int;
    pub fn fw_rwlock_downgrade(l: *mut fw_rwlock);
    pub fn fw_rwlock_downgrade_upgradable(l: *mut fw_rwlock);
    pub fn fw_rwlock_owner(l: *const fw_rwlock) -> c_int;
    pub fn fw_rwlock_is_held_by_me(l: *const fw_rwlock) -> bool;
    pub fn fw_cond_init(c: *mut fw_cond);
    pub fn fw_cond_wait(c: *mut fw_cond, m: *mut fw_mutex);
    pub fn fw_cond_timedwait(
        c: *mut fw_cond,
        m: *mut fw_mutex,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_cond_wait_policy(
        c: *mut fw_cond,
        m: *mut fw_mutex,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_cond_signal(c: *mut fw_cond) -> u32;
    pub fn fw_cond_broadcast(c: *mut fw_cond) -> u32;
    #[link_name = "fw_once_begin_abi1_"]
    pub fn fw_once_begin_(o: *mut fw_once) -> bool;
    #[link_name = "fw_once_end_abi1_"]
    pub fn fw_once_end_(o: *mut fw_once, done: bool);
    pub fn fw_sem_init(s: *mut fw_sem, value: u32, max: u32) -> c_int;
    pub fn fw_sem_trywait(s: *mut fw_sem) -> c_int;
    pub fn fw_sem_wait(s: *mut fw_sem);
    pub fn fw_sem_timedwait(s: *mut fw_sem, deadline: *const fw_deadline) -> c_int;
    pub fn fw_sem_wait_policy(
        s: *mut fw_sem,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_sem_post(s: *mut fw_sem) -> c_int;
    pub fn fw_sem_post_n(s: *mut fw_sem, n: u32) -> c_int;
    pub fn fw_sem_value(s: *const fw_sem) -> u32;
    pub fn fw_event_init(e: *mut fw_event, kind: fw_event_kind, set: bool) -> c_int;
    pub fn fw_event_set(e: *mut fw_event);
    pub fn fw_event_reset(e: *mut fw_event);
    pub fn fw_event_is_set(e: *const fw_event) -> bool;
    pub fn fw_event_trywait(e: *mut fw_event) -> c_int;
    pub fn fw_event_wait(e: *mut fw_event);
    pub fn fw_event_timedwait(e: *mut fw_event, deadline: *const fw_deadline) -> c_int;
    pub fn fw_event_wait_policy(
        e: *mut fw_event,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_barrier_init(b: *mut fw_barrier, parties: u32) -> c_int;
    pub fn fw_barrier_destroy(b: *mut fw_barrier);
    pub fn fw_barrier_trydestroy(b: *mut fw_barrier) -> c_int;
    pub fn fw_barrier_wait(b: *mut fw_barrier) -> c_int;
    pub fn fw_barrier_wait_policy(b: *mut fw_barrier, policy: *const fw_wait_policy) -> c_int;
    pub fn fw_barrier_arrive(b: *mut fw_barrier) -> u32;
    pub fn fw_barrier_await(b: *mut fw_barrier, phase: u32);
    pub fn fw_barrier_drop(b: *mut fw_barrier);
    #[link_name = "fw_barrier_arrive_abi1_"]
    pub fn fw_barrier_arrive_(
        b: *mut fw_barrier,
        n: u32,
        stay: bool,
        drop: bool,
        phase: *mut u32,
    ) -> bool;
    #[link_name = "fw_barrier_open_abi1_"]
    pub fn fw_barrier_open_(b: *mut fw_barrier, stay: bool);
    #[link_name = "fw_barrier_stay_abi1_"]
    pub fn fw_barrier_stay_(b: *mut fw_barrier, phase: u32);
    pub fn fw_latch_init(l: *mut fw_latch, n: u32) -> c_int;
    pub fn fw_latch_count_down(l: *mut fw_latch, n: u32);
    pub fn fw_latch_trywait(l: *const fw_latch) -> c_int;
    pub fn fw_latch_wait(l: *mut fw_latch);
    pub fn fw_latch_timedwait(l: *mut fw_latch, deadline: *const fw_deadline) -> c_int;
    pub fn fw_latch_wait_policy(
        l: *mut fw_latch,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_latch_arrive_and_wait(l: *mut fw_latch, n: u32);
    pub fn fw_brlock_init(l: *mut fw_brlock) -> c_int;
    pub fn fw_brlock_destroy(l: *mut fw_brlock);
    pub fn fw_brlock_trydestroy(l: *mut fw_brlock) -> c_int;
    pub fn fw_brlock_tryrdlock(l: *mut fw_brlock) -> c_int;
    pub fn fw_brlock_rdlock(l: *mut fw_brlock);
    pub fn fw_brlock_timedrdlock(l: *mut fw_brlock, deadline: *const fw_deadline) -> c_int;
    pub fn fw_brlock_rdlock_policy(
        l: *mut fw_brlock,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_brlock_rdunlock(l: *mut fw_brlock);
    pub fn fw_brlock_trywrlock(l: *mut fw_brlock) -> c_int;
    pub fn fw_brlock_wrlock(l: *mut fw_brlock);
    pub fn fw_brlock_timedwrlock(l: *mut fw_brlock, deadline: *const fw_deadline) -> c_int;
    pub fn fw_brlock_wrlock_policy(
        l: *mut fw_brlock,
        policy: *const fw_wait_policy,
        deadline: *const fw_deadline,
    ) -> c_int;
    pub fn fw_brlock_wrunlock(l: *mut fw_brlock);
    pub fn fw_brlock_owner(l: *const fw_brlock) -> c_int;
    pub fn fw_brlock_is_held_by_me(l: *const fw_brlock) -> bool;
    pub fn fw_wait_any(
        objects: *const fw_any,
        n: c_uint,
        deadline: *const fw_deadline,
        which: *mut c_uint,
    ) -> c_int;
}

extern "C-unwind" {
    /// Calls `init` unless that has succeeded before; a panic that leaves `init` leaves this, too.
    pub fn fw_once_call(
        o: *mut fw_once,
        init: Option<unsafe extern "C-unwind" fn(*mut c_void) -> c_int>,
        arg: *mut c_void,
    ) -> c_int;
}
