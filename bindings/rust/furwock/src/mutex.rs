// SPDX-License-Identifier: MIT
//! `fw_mutex` as a raw lock of lock_api.

use core::cell::UnsafeCell;
use core::time::Duration;

use furwock_sys as sys;

use crate::deadline::Deadline;

/// Mutual exclusion for the threads of one process, in eight bytes: the raw lock of [`Mutex`].
pub struct RawMutex(UnsafeCell<sys::fw_mutex>);

// SAFETY: fw_mutex is made to be used by several threads at once.
unsafe impl Send for RawMutex {}
// SAFETY: as above; all access is through C functions that take its address.
unsafe impl Sync for RawMutex {}

impl RawMutex {
    fn get(&self) -> *mut sys::fw_mutex {
        self.0.get()
    }
}

// SAFETY: fw_mutex excludes; a lock is acquire, an unlock release.
unsafe impl lock_api::RawMutex for RawMutex {
    #[allow(clippy::declare_interior_mutable_const)] // a fresh lock each time is what is wanted
    const INIT: Self = Self(UnsafeCell::new(sys::FW_MUTEX_INIT));

    type GuardMarker = lock_api::GuardNoSend; // the owner is a thread

    #[inline]
    fn lock(&self) {
        // SAFETY: a mutex that is initialised, and lives as long as self.
        unsafe { sys::fw_mutex_lock(self.get()) }
    }

    #[inline]
    fn try_lock(&self) -> bool {
        // SAFETY: as in lock.
        unsafe { sys::fw_mutex_trylock(self.get()) == 0 }
    }

    #[inline]
    unsafe fn unlock(&self) {
        // SAFETY: as in lock; the caller holds it.
        unsafe { sys::fw_mutex_unlock(self.get()) }
    }
}

// SAFETY: the mutex is handed to a thread that waits, if there is one.
unsafe impl lock_api::RawMutexFair for RawMutex {
    #[inline]
    unsafe fn unlock_fair(&self) {
        // SAFETY: as in lock; the caller holds it.
        unsafe { sys::fw_mutex_unlock_fair(self.get()) }
    }
}

impl RawMutex {
    fn timed_lock(&self, deadline: Deadline) -> bool {
        // SAFETY: as in lock; the deadline outlives the call.
        unsafe { sys::fw_mutex_timedlock(self.get(), deadline.as_ptr()) == 0 }
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

/// A mutex around a value.
pub type Mutex<T> = lock_api::Mutex<RawMutex, T>;

/// What [`Mutex::lock`](lock_api::Mutex::lock) returns: the value, until it is dropped.
pub type MutexGuard<'a, T> = lock_api::MutexGuard<'a, RawMutex, T>;

/// A [`MutexGuard`] of a part of the value.
pub type MappedMutexGuard<'a, T> = lock_api::MappedMutexGuard<'a, RawMutex, T>;
