// SPDX-License-Identifier: MIT
//! `fw_mutex` as a raw lock of lock_api.

use core::cell::UnsafeCell;
use core::fmt;
#[cfg(feature = "std")]
use core::time::Duration;

use crate::sys;

#[cfg(feature = "std")]
use crate::deadline::Deadline;

/// Mutual exclusion for the threads of one process, in eight bytes: the raw lock of [`Mutex`].
///
/// A release is greedy: the mutex is free at once, and a running thread may take it before the
/// woken one does.  No waiter starves: one that has lost that race for about half a millisecond is
/// handed the mutex.  [`RawMutexFair`](lock_api::RawMutexFair) hands it over at once.
///
/// Locking it in the thread that holds it, with or without a time-out, ends the process with a
/// message; `try_lock` returns false.
pub struct RawMutex(UnsafeCell<sys::fw_mutex>);

// SAFETY: fw_mutex is made to be used by several threads at once, and does not know its address
// while no thread uses it.
unsafe impl Send for RawMutex {}
// SAFETY: as above; all access is through C functions that take its address.
unsafe impl Sync for RawMutex {}

impl RawMutex {
    /// The mutex for C, which lives as long as `self`.
    pub fn as_ptr(&self) -> *mut sys::fw_mutex {
        self.0.get()
    }

    /// The kernel's thread id of the owner, if it is held and the owner has said so by now.  A
    /// snapshot, for tools: out of date when it is read, unless the owner is the caller.
    pub fn owner(&self) -> Option<u32> {
        // SAFETY: the mutex is initialised, and lives as long as self.
        let owner = unsafe { sys::fw_mutex_owner(self.as_ptr()) };
        u32::try_from(owner).ok().filter(|&id| id != 0)
    }

    /// Does the calling thread hold it?  Exact.
    pub fn is_held_by_me(&self) -> bool {
        // SAFETY: as in owner.
        unsafe { sys::fw_mutex_is_held_by_me(self.as_ptr()) }
    }

    #[cfg(feature = "std")]
    fn timed_lock(&self, deadline: Deadline) -> bool {
        // SAFETY: as in owner; the deadline outlives the call.
        unsafe { sys::fw_mutex_timedlock(self.as_ptr(), deadline.as_ptr()) == 0 }
    }
}

impl fmt::Debug for RawMutex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawMutex").field("owner", &self.owner()).finish_non_exhaustive()
    }
}

// SAFETY: fw_mutex excludes; a lock is acquire, an unlock release.
unsafe impl lock_api::RawMutex for RawMutex {
    #[allow(clippy::declare_interior_mutable_const)] // a fresh lock each time is what is wanted
    const INIT: Self = Self(UnsafeCell::new(sys::FW_MUTEX_INIT));

    type GuardMarker = lock_api::GuardNoSend; // the owner is a thread

    #[inline]
    fn lock(&self) {
        // SAFETY: the mutex is initialised, and lives as long as self.
        unsafe { sys::fw_mutex_lock(self.as_ptr()) }
    }

    #[inline]
    fn try_lock(&self) -> bool {
        // SAFETY: as in lock.
        unsafe { sys::fw_mutex_trylock(self.as_ptr()) == 0 }
    }

    #[inline]
    unsafe fn unlock(&self) {
        // SAFETY: as in lock; the caller holds it.
        unsafe { sys::fw_mutex_unlock(self.as_ptr()) }
    }

    /// A snapshot.  Takes the mutex for a moment if it is free.
    fn is_locked(&self) -> bool {
        // It has no owner yet while it is handed over.
        self.owner().is_some() || !is_free(self)
    }
}

/// Can it be taken?
fn is_free<R: lock_api::RawMutex>(mutex: &R) -> bool {
    let taken = mutex.try_lock();
    if taken {
        // SAFETY: taken just now.
        unsafe { mutex.unlock() };
    }
    taken
}

// SAFETY: the mutex is handed to a thread that waits, if there is one.
unsafe impl lock_api::RawMutexFair for RawMutex {
    #[inline]
    unsafe fn unlock_fair(&self) {
        // SAFETY: as in lock; the caller holds it.
        unsafe { sys::fw_mutex_unlock_fair(self.as_ptr()) }
    }
}

#[cfg(feature = "std")]
// SAFETY: true only if the mutex has been taken.
unsafe impl lock_api::RawMutexTimed for RawMutex {
    type Duration = Duration;
    type Instant = std::time::Instant;

    fn try_lock_for(&self, timeout: Duration) -> bool {
        self.timed_lock(Deadline::after(timeout))
    }

    fn try_lock_until(&self, timeout: std::time::Instant) -> bool {
        self.timed_lock(Deadline::at(timeout))
    }
}

/// A [`RawMutex`] of which each release is a direct hand-off to the thread that has waited longest.
///
/// Fair, and much slower when it is contended: each hand-off costs a switch of threads.
#[derive(Debug)]
pub struct RawFairMutex(RawMutex);

// SAFETY: that of RawMutex.
unsafe impl lock_api::RawMutex for RawFairMutex {
    #[allow(clippy::declare_interior_mutable_const)] // as above
    const INIT: Self = Self(<RawMutex as lock_api::RawMutex>::INIT);

    type GuardMarker = lock_api::GuardNoSend;

    #[inline]
    fn lock(&self) {
        lock_api::RawMutex::lock(&self.0);
    }

    #[inline]
    fn try_lock(&self) -> bool {
        lock_api::RawMutex::try_lock(&self.0)
    }

    #[inline]
    unsafe fn unlock(&self) {
        // SAFETY: the caller holds it.
        unsafe { lock_api::RawMutexFair::unlock_fair(&self.0) }
    }

    fn is_locked(&self) -> bool {
        lock_api::RawMutex::is_locked(&self.0)
    }
}

// SAFETY: each release is fair.
unsafe impl lock_api::RawMutexFair for RawFairMutex {
    #[inline]
    unsafe fn unlock_fair(&self) {
        // SAFETY: the caller holds it.
        unsafe { lock_api::RawMutexFair::unlock_fair(&self.0) }
    }
}

#[cfg(feature = "std")]
// SAFETY: that of RawMutex.
unsafe impl lock_api::RawMutexTimed for RawFairMutex {
    type Duration = Duration;
    type Instant = std::time::Instant;

    fn try_lock_for(&self, timeout: Duration) -> bool {
        lock_api::RawMutexTimed::try_lock_for(&self.0, timeout)
    }

    fn try_lock_until(&self, timeout: std::time::Instant) -> bool {
        lock_api::RawMutexTimed::try_lock_until(&self.0, timeout)
    }
}

/// A mutex around a value: [`lock_api::Mutex`] with [`RawMutex`].
///
/// ```
/// use furwock::Mutex;
/// use std::time::Duration;
///
/// static TOTAL: Mutex<u64> = Mutex::new(0);
///
/// std::thread::scope(|scope| {
///     for _ in 0..4 {
///         scope.spawn(|| *TOTAL.lock() += 10);
///     }
/// });
/// assert_eq!(*TOTAL.lock(), 40);
/// # #[cfg(feature = "std")] {
/// // With a time-out: None if that has passed.
/// if let Some(mut total) = TOTAL.try_lock_for(Duration::from_secs(1)) {
///     *total = 0;
/// }
/// # }
/// ```
pub type Mutex<T> = lock_api::Mutex<RawMutex, T>;

/// What [`Mutex::lock`](lock_api::Mutex::lock) returns: the value, until it is dropped.
pub type MutexGuard<'a, T> = lock_api::MutexGuard<'a, RawMutex, T>;

/// A [`MutexGuard`] of a part of the value.
pub type MappedMutexGuard<'a, T> = lock_api::MappedMutexGuard<'a, RawMutex, T>;

/// A [`MutexGuard`] that keeps the mutex alive by an `Arc`.
#[cfg(feature = "arc_lock")]
pub type ArcMutexGuard<T> = lock_api::ArcMutexGuard<RawMutex, T>;

/// A fair mutex around a value: [`lock_api::Mutex`] with [`RawFairMutex`].
pub type FairMutex<T> = lock_api::Mutex<RawFairMutex, T>;

/// The value of a [`FairMutex`], until it is dropped.
pub type FairMutexGuard<'a, T> = lock_api::MutexGuard<'a, RawFairMutex, T>;

/// A [`FairMutexGuard`] of a part of the value.
pub type MappedFairMutexGuard<'a, T> = lock_api::MappedMutexGuard<'a, RawFairMutex, T>;

/// A [`FairMutexGuard`] that keeps the mutex alive by an `Arc`.
#[cfg(feature = "arc_lock")]
pub type ArcFairMutexGuard<T> = lock_api::ArcMutexGuard<RawFairMutex, T>;
