// SPDX-License-Identifier: MIT
//! `fw_rwlock` as raw locks of lock_api: a type for each preference.

use core::cell::UnsafeCell;
use core::fmt;
#[cfg(feature = "std")]
use core::time::Duration;

use crate::sys;

#[cfg(feature = "std")]
use crate::deadline::Deadline;

/// The raw lock `$name`, which is `$init` at first.
macro_rules! raw_rwlock {
    ($(#[$doc:meta])* $name:ident, $init:expr) => {
        $(#[$doc])*
        pub struct $name(UnsafeCell<sys::fw_rwlock>);

        // SAFETY: fw_rwlock is made to be used by several threads at once, and does not know its
        // address while no thread uses it.
        unsafe impl Send for $name {}
        // SAFETY: as above; all access is through C functions that take its address.
        unsafe impl Sync for $name {}

        impl $name {
            /// The lock for C, which lives as long as `self`.
            pub fn as_ptr(&self) -> *mut sys::fw_rwlock {
                self.0.get()
            }

            /// The kernel's thread id of the writer or the upgradable reader, if there is one.  A
            /// snapshot, for tools.
            pub fn owner(&self) -> Option<u32> {
                // SAFETY: the lock is initialised, and lives as long as self.
                let owner = unsafe { sys::fw_rwlock_owner(self.as_ptr()) };
                u32::try_from(owner).ok().filter(|&id| id != 0)
            }

            /// Does the calling thread hold it for writing, or upgradable?  Exact.
            pub fn is_held_by_me(&self) -> bool {
                // SAFETY: as in owner.
                unsafe { sys::fw_rwlock_is_held_by_me(self.as_ptr()) }
            }

            #[cfg(feature = "std")]
            /// A call of C that takes a deadline: true if it returned 0.
            fn timed(
                &self,
                call: unsafe extern "C" fn(
                    *mut sys::fw_rwlock,
                    *const sys::fw_deadline,
                ) -> core::ffi::c_int,
                deadline: Deadline,
            ) -> bool {
                // SAFETY: as in owner; the deadline outlives the call.
                unsafe { call(self.as_ptr(), deadline.as_ptr()) == 0 }
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("owner", &self.owner())
                    .finish_non_exhaustive()
            }
        }

        // SAFETY: many readers or one writer; a lock is acquire, an unlock release.
        unsafe impl lock_api::RawRwLock for $name {
            #[allow(clippy::declare_interior_mutable_const)] // a fresh lock each time
            const INIT: Self = Self(UnsafeCell::new($init));

            type GuardMarker = lock_api::GuardNoSend; // the owner is a thread

            #[inline]
            fn lock_shared(&self) {
                // SAFETY: the lock is initialised, and lives as long as self.
                unsafe { sys::fw_rwlock_rdlock(self.as_ptr()) }
            }

            #[inline]
            fn try_lock_shared(&self) -> bool {
                // SAFETY: as in lock_shared.
                unsafe { sys::fw_rwlock_tryrdlock(self.as_ptr()) == 0 }
            }

            #[inline]
            unsafe fn unlock_shared(&self) {
                // SAFETY: as in lock_shared; the caller holds it.
                unsafe { sys::fw_rwlock_rdunlock(self.as_ptr()) }
            }

            #[inline]
            fn lock_exclusive(&self) {
                // SAFETY: as in lock_shared.
                unsafe { sys::fw_rwlock_wrlock(self.as_ptr()) }
            }

            #[inline]
            fn try_lock_exclusive(&self) -> bool {
                // SAFETY: as in lock_shared.
                unsafe { sys::fw_rwlock_trywrlock(self.as_ptr()) == 0 }
            }

            #[inline]
            unsafe fn unlock_exclusive(&self) {
                // SAFETY: as in lock_shared; the caller holds it.
                unsafe { sys::fw_rwlock_wrunlock(self.as_ptr()) }
            }

            /// A snapshot.  Takes the lock for a moment if it is free.
            fn is_locked(&self) -> bool {
                let taken = self.owner().is_none() && self.try_lock_exclusive();
                if taken {
                    // SAFETY: taken just now.
                    unsafe { self.unlock_exclusive() };
                }
                !taken
            }

            /// A snapshot: has it a writer?  An upgradable reader counts as one while other threads
            /// wait for it.
            fn is_locked_exclusive(&self) -> bool {
                if self.owner().is_none() {
                    return false;
                }
                let taken = self.try_lock_shared();
                if taken {
                    // SAFETY: taken just now.
                    unsafe { self.unlock_shared() };
                }
                !taken
            }
        }

        // SAFETY: a writer becomes a reader without a release in between.
        unsafe impl lock_api::RawRwLockDowngrade for $name {
            unsafe fn downgrade(&self) {
                // SAFETY: as in lock_shared; the caller holds it for writing.
                unsafe { sys::fw_rwlock_downgrade(self.as_ptr()) }
            }
        }

        // SAFETY: upgradable excludes writers and others of its kind, and becomes exclusive without
        // a release in between.
        unsafe impl lock_api::RawRwLockUpgrade for $name {
            fn lock_upgradable(&self) {
                // SAFETY: as in lock_shared.
                unsafe { sys::fw_rwlock_upgradable_lock(self.as_ptr()) }
            }

            fn try_lock_upgradable(&self) -> bool {
                // SAFETY: as in lock_shared.
                unsafe { sys::fw_rwlock_upgradable_trylock(self.as_ptr()) == 0 }
            }

            unsafe fn unlock_upgradable(&self) {
                // SAFETY: as in lock_shared; the caller holds it.
                unsafe { sys::fw_rwlock_upgradable_unlock(self.as_ptr()) }
            }

            unsafe fn upgrade(&self) {
                // SAFETY: as in lock_shared; the caller holds it upgradable.
                unsafe { sys::fw_rwlock_upgrade(self.as_ptr()) }
            }

            unsafe fn try_upgrade(&self) -> bool {
                // SAFETY: as in lock_shared; the caller holds it upgradable.
                unsafe { sys::fw_rwlock_tryupgrade(self.as_ptr()) == 0 }
            }
        }

        // SAFETY: neither of the two releases the lock in between.
        unsafe impl lock_api::RawRwLockUpgradeDowngrade for $name {
            unsafe fn downgrade_upgradable(&self) {
                // SAFETY: as in lock_shared; the caller holds it upgradable.
                unsafe { sys::fw_rwlock_downgrade(self.as_ptr()) }
            }

            unsafe fn downgrade_to_upgradable(&self) {
                // SAFETY: as in lock_shared; the caller holds it for writing.
                unsafe { sys::fw_rwlock_downgrade_upgradable(self.as_ptr()) }
            }
        }

        #[cfg(feature = "std")]
        // SAFETY: true only if the lock has been taken.
        unsafe impl lock_api::RawRwLockTimed for $name {
            type Duration = Duration;
            type Instant = std::time::Instant;

            fn try_lock_shared_for(&self, timeout: Duration) -> bool {
                self.timed(sys::fw_rwlock_timedrdlock, Deadline::after(timeout))
            }

            fn try_lock_shared_until(&self, timeout: std::time::Instant) -> bool {
                self.timed(sys::fw_rwlock_timedrdlock, Deadline::at(timeout))
            }

            fn try_lock_exclusive_for(&self, timeout: Duration) -> bool {
                self.timed(sys::fw_rwlock_timedwrlock, Deadline::after(timeout))
            }

            fn try_lock_exclusive_until(&self, timeout: std::time::Instant) -> bool {
                self.timed(sys::fw_rwlock_timedwrlock, Deadline::at(timeout))
            }
        }

        #[cfg(feature = "std")]
        // SAFETY: true only if the lock has been taken, or upgraded.
        unsafe impl lock_api::RawRwLockUpgradeTimed for $name {
            fn try_lock_upgradable_for(&self, timeout: Duration) -> bool {
                self.timed(sys::fw_rwlock_upgradable_timedlock, Deadline::after(timeout))
            }

            fn try_lock_upgradable_until(&self, timeout: std::time::Instant) -> bool {
                self.timed(sys::fw_rwlock_upgradable_timedlock, Deadline::at(timeout))
            }

            unsafe fn try_upgrade_for(&self, timeout: Duration) -> bool {
                self.timed(sys::fw_rwlock_timedupgrade, Deadline::after(timeout))
            }

            unsafe fn try_upgrade_until(&self, timeout: std::time::Instant) -> bool {
                self.timed(sys::fw_rwlock_timedupgrade, Deadline::at(timeout))
            }
        }
    };
}

raw_rwlock! {
    /// Many readers or one writer, phase-fair, in sixteen bytes: the raw lock of [`RwLock`].
    ///
    /// A reader waits for one writer at most, and a writer for the readers that came before it:
    /// neither side starves.  So a thread must not read-lock it twice: the second lock waits for a
    /// writer that waits for the first.  (The process ends with a message if the lock can tell.)
    ///
    /// At most 2²⁴ - 1 read locks may be held at a time; one more ends the process, except for the
    /// calls that may fail.
    RawRwLock, sys::FW_RWLOCK_INIT
}

raw_rwlock! {
    /// A [`RawRwLock`] that prefers readers: a reader waits only while a writer holds it, so a
    /// thread may read-lock it again.  Readers can starve writers.
    RawRwLockReaders, sys::FW_RWLOCK_INIT_READERS
}

raw_rwlock! {
    /// A [`RawRwLock`] that prefers writers: a reader also waits while one is queued.  Writers
    /// can starve readers.
    RawRwLockWriters, sys::FW_RWLOCK_INIT_WRITERS
}

raw_rwlock! {
    /// A greedy [`RawRwLock`]: readers and writers that run pass writers that sleep, until about
    /// half a millisecond after those were woken.  For more threads than CPUs.
    RawRwLockGreedy, sys::FW_RWLOCK_INIT_GREEDY
}

// SAFETY: a lock that prefers readers never makes one wait for a writer that waits.
unsafe impl lock_api::RawRwLockRecursive for RawRwLockReaders {
    #[inline]
    fn lock_shared_recursive(&self) {
        lock_api::RawRwLock::lock_shared(self);
    }

    #[inline]
    fn try_lock_shared_recursive(&self) -> bool {
        lock_api::RawRwLock::try_lock_shared(self)
    }
}

#[cfg(feature = "std")]
// SAFETY: as above.
unsafe impl lock_api::RawRwLockRecursiveTimed for RawRwLockReaders {
    fn try_lock_shared_recursive_for(&self, timeout: Duration) -> bool {
        lock_api::RawRwLockTimed::try_lock_shared_for(self, timeout)
    }

    fn try_lock_shared_recursive_until(&self, timeout: std::time::Instant) -> bool {
        lock_api::RawRwLockTimed::try_lock_shared_until(self, timeout)
    }
}

/// A phase-fair read-write lock around a value: [`lock_api::RwLock`] with [`RawRwLock`].
///
/// ```
/// use furwock::{RwLock, RwLockUpgradableReadGuard};
///
/// static PRICES: RwLock<Vec<u32>> = RwLock::new(Vec::new());
///
/// PRICES.write().extend([3, 4]);
/// assert_eq!(PRICES.read().iter().sum::<u32>(), 7);
///
/// // Read, and write if need be, with no release in between.
/// let prices = PRICES.upgradable_read();
/// if prices.len() < 3 {
///     RwLockUpgradableReadGuard::upgrade(prices).push(5);
/// }
/// assert_eq!(PRICES.read().len(), 3);
/// ```
pub type RwLock<T> = lock_api::RwLock<RawRwLock, T>;

/// A read-write lock that prefers readers, and that a thread may read-lock again.
///
/// ```
/// use furwock::RwLockReaders;
///
/// let lock = RwLockReaders::new(1);
/// let outer = lock.read();
/// let inner = lock.read_recursive();
/// assert_eq!(*outer + *inner, 2);
/// ```
pub type RwLockReaders<T> = lock_api::RwLock<RawRwLockReaders, T>;

/// A read-write lock that prefers writers.
pub type RwLockWriters<T> = lock_api::RwLock<RawRwLockWriters, T>;

/// A read-write lock that lets running threads pass sleeping writers.
pub type RwLockGreedy<T> = lock_api::RwLock<RawRwLockGreedy, T>;

/// Shared access to the value of an [`RwLock`], until it is dropped.  (`R` is for the other kinds.)
pub type RwLockReadGuard<'a, T, R = RawRwLock> = lock_api::RwLockReadGuard<'a, R, T>;

/// Exclusive access to the value of an [`RwLock`], until it is dropped.
pub type RwLockWriteGuard<'a, T, R = RawRwLock> = lock_api::RwLockWriteGuard<'a, R, T>;

/// Shared access to the value of an [`RwLock`] that can be made exclusive.
pub type RwLockUpgradableReadGuard<'a, T, R = RawRwLock> =
    lock_api::RwLockUpgradableReadGuard<'a, R, T>;

/// An [`RwLockReadGuard`] of a part of the value.
pub type MappedRwLockReadGuard<'a, T, R = RawRwLock> = lock_api::MappedRwLockReadGuard<'a, R, T>;

/// An [`RwLockWriteGuard`] of a part of the value.
pub type MappedRwLockWriteGuard<'a, T, R = RawRwLock> = lock_api::MappedRwLockWriteGuard<'a, R, T>;

/// An [`RwLockReadGuard`] that keeps the lock alive by an `Arc`.
#[cfg(feature = "arc_lock")]
pub type ArcRwLockReadGuard<T, R = RawRwLock> = lock_api::ArcRwLockReadGuard<R, T>;

/// An [`RwLockWriteGuard`] that keeps the lock alive by an `Arc`.
#[cfg(feature = "arc_lock")]
pub type ArcRwLockWriteGuard<T, R = RawRwLock> = lock_api::ArcRwLockWriteGuard<R, T>;

/// An [`RwLockUpgradableReadGuard`] that keeps the lock alive by an `Arc`.
#[cfg(feature = "arc_lock")]
pub type ArcRwLockUpgradableReadGuard<T, R = RawRwLock> =
    lock_api::ArcRwLockUpgradableReadGuard<R, T>;
