// SPDX-License-Identifier: MIT
//! The traits of lock_api 0.5, in which a lock hands out the state of its guards: here there is
//! none, only the word that a guard stays in its thread.  All is done by the traits of 0.4.

use lock_api as old;
use lock_api_0_5 as new;

use new::GuardNoSend;

use crate::{
    Condvar, RawFairMutex, RawMutex, RawRwLock, RawRwLockGreedy, RawRwLockReaders, RawRwLockWriters,
};

/// The state of a guard, if the lock was taken.
fn taken(is_taken: bool) -> Option<GuardNoSend> {
    is_taken.then(GuardNoSend::new)
}

/// The state of the guard that the caller has now.
fn upgraded(guard: GuardNoSend, is_upgraded: bool) -> Result<GuardNoSend, GuardNoSend> {
    match is_upgraded {
        true => Ok(guard),
        false => Err(guard),
    }
}

macro_rules! mutex {
    ($name:ident) => {
        // SAFETY: that of lock_api 0.4.
        unsafe impl new::RawMutex for $name {
            const INIT: Self = <Self as old::RawMutex>::INIT;

            type Guard = GuardNoSend;

            #[inline]
            fn lock(&self) -> GuardNoSend {
                old::RawMutex::lock(self);
                GuardNoSend::new()
            }

            #[inline]
            fn try_lock(&self) -> Option<GuardNoSend> {
                taken(old::RawMutex::try_lock(self))
            }

            #[inline]
            unsafe fn unlock(&self, _: GuardNoSend) {
                // SAFETY: the caller's guard says that it holds the lock.
                unsafe { old::RawMutex::unlock(self) }
            }

            fn is_locked(&self) -> bool {
                old::RawMutex::is_locked(self)
            }
        }

        // SAFETY: that of lock_api 0.4.
        unsafe impl new::RawMutexFair for $name {
            #[inline]
            unsafe fn unlock_fair(&self, _: GuardNoSend) {
                // SAFETY: as in unlock.
                unsafe { old::RawMutexFair::unlock_fair(self) }
            }
        }

        #[cfg(feature = "std")]
        // SAFETY: that of lock_api 0.4.
        unsafe impl new::RawMutexTimed for $name {
            type Duration = core::time::Duration;
            type Instant = std::time::Instant;

            fn try_lock_for(&self, timeout: Self::Duration) -> Option<GuardNoSend> {
                taken(old::RawMutexTimed::try_lock_for(self, timeout))
            }

            fn try_lock_until(&self, timeout: Self::Instant) -> Option<GuardNoSend> {
                taken(old::RawMutexTimed::try_lock_until(self, timeout))
            }
        }
    };
}

mutex!(RawMutex);
mutex!(RawFairMutex);

macro_rules! rwlock {
    ($name:ident) => {
        // SAFETY: that of lock_api 0.4.
        unsafe impl new::RawRwLock for $name {
            const INIT: Self = <Self as old::RawRwLock>::INIT;

            type SharedGuard = GuardNoSend;
            type ExclusiveGuard = GuardNoSend;

            #[inline]
            fn lock_shared(&self) -> GuardNoSend {
                old::RawRwLock::lock_shared(self);
                GuardNoSend::new()
            }

            #[inline]
            fn try_lock_shared(&self) -> Option<GuardNoSend> {
                taken(old::RawRwLock::try_lock_shared(self))
            }

            #[inline]
            unsafe fn unlock_shared(&self, _: GuardNoSend) {
                // SAFETY: the caller's guard says that it holds the lock.
                unsafe { old::RawRwLock::unlock_shared(self) }
            }

            #[inline]
            fn lock_exclusive(&self) -> GuardNoSend {
                old::RawRwLock::lock_exclusive(self);
                GuardNoSend::new()
            }

            #[inline]
            fn try_lock_exclusive(&self) -> Option<GuardNoSend> {
                taken(old::RawRwLock::try_lock_exclusive(self))
            }

            #[inline]
            unsafe fn unlock_exclusive(&self, _: GuardNoSend) {
                // SAFETY: as in unlock_shared.
                unsafe { old::RawRwLock::unlock_exclusive(self) }
            }

            fn is_locked(&self) -> bool {
                old::RawRwLock::is_locked(self)
            }

            fn is_locked_exclusive(&self) -> bool {
                old::RawRwLock::is_locked_exclusive(self)
            }
        }

        // SAFETY: that of lock_api 0.4.
        unsafe impl new::RawRwLockDowngrade for $name {
            unsafe fn downgrade(&self, guard: GuardNoSend) -> GuardNoSend {
                // SAFETY: as in unlock_shared.
                unsafe { old::RawRwLockDowngrade::downgrade(self) };
                guard
            }
        }

        // SAFETY: that of lock_api 0.4.
        unsafe impl new::RawRwLockUpgrade for $name {
            type UpgradableGuard = GuardNoSend;

            fn lock_upgradable(&self) -> GuardNoSend {
                old::RawRwLockUpgrade::lock_upgradable(self);
                GuardNoSend::new()
            }

            fn try_lock_upgradable(&self) -> Option<GuardNoSend> {
                taken(old::RawRwLockUpgrade::try_lock_upgradable(self))
            }

            unsafe fn unlock_upgradable(&self, _: GuardNoSend) {
                // SAFETY: as in unlock_shared.
                unsafe { old::RawRwLockUpgrade::unlock_upgradable(self) }
            }

            unsafe fn upgrade(&self, guard: GuardNoSend) -> GuardNoSend {
                // SAFETY: as in unlock_shared.
                unsafe { old::RawRwLockUpgrade::upgrade(self) };
                guard
            }

            unsafe fn try_upgrade(&self, guard: GuardNoSend) -> Result<GuardNoSend, GuardNoSend> {
                // SAFETY: as in unlock_shared.
                upgraded(guard, unsafe { old::RawRwLockUpgrade::try_upgrade(self) })
            }
        }

        // SAFETY: that of lock_api 0.4.
        unsafe impl new::RawRwLockUpgradeDowngrade for $name {
            unsafe fn downgrade_upgradable(&self, guard: GuardNoSend) -> GuardNoSend {
                // SAFETY: as in unlock_shared.
                unsafe { old::RawRwLockUpgradeDowngrade::downgrade_upgradable(self) };
                guard
            }

            unsafe fn downgrade_to_upgradable(&self, guard: GuardNoSend) -> GuardNoSend {
                // SAFETY: as in unlock_shared.
                unsafe { old::RawRwLockUpgradeDowngrade::downgrade_to_upgradable(self) };
                guard
            }
        }

        #[cfg(feature = "std")]
        // SAFETY: that of lock_api 0.4.
        unsafe impl new::RawRwLockTimed for $name {
            type Duration = core::time::Duration;
            type Instant = std::time::Instant;

            fn try_lock_shared_for(&self, timeout: Self::Duration) -> Option<GuardNoSend> {
                taken(old::RawRwLockTimed::try_lock_shared_for(self, timeout))
            }

            fn try_lock_shared_until(&self, timeout: Self::Instant) -> Option<GuardNoSend> {
                taken(old::RawRwLockTimed::try_lock_shared_until(self, timeout))
            }

            fn try_lock_exclusive_for(&self, timeout: Self::Duration) -> Option<GuardNoSend> {
                taken(old::RawRwLockTimed::try_lock_exclusive_for(self, timeout))
            }

            fn try_lock_exclusive_until(&self, timeout: Self::Instant) -> Option<GuardNoSend> {
                taken(old::RawRwLockTimed::try_lock_exclusive_until(self, timeout))
            }
        }

        #[cfg(feature = "std")]
        // SAFETY: that of lock_api 0.4.
        unsafe impl new::RawRwLockUpgradeTimed for $name {
            fn try_lock_upgradable_for(&self, timeout: Self::Duration) -> Option<GuardNoSend> {
                taken(old::RawRwLockUpgradeTimed::try_lock_upgradable_for(self, timeout))
            }

            fn try_lock_upgradable_until(&self, timeout: Self::Instant) -> Option<GuardNoSend> {
                taken(old::RawRwLockUpgradeTimed::try_lock_upgradable_until(self, timeout))
            }

            unsafe fn try_upgrade_for(
                &self,
                guard: GuardNoSend,
                timeout: Self::Duration,
            ) -> Result<GuardNoSend, GuardNoSend> {
                // SAFETY: as in unlock_shared.
                upgraded(guard, unsafe {
                    old::RawRwLockUpgradeTimed::try_upgrade_for(self, timeout)
                })
            }

            unsafe fn try_upgrade_until(
                &self,
                guard: GuardNoSend,
                timeout: Self::Instant,
            ) -> Result<GuardNoSend, GuardNoSend> {
                // SAFETY: as in unlock_shared.
                let done = unsafe { old::RawRwLockUpgradeTimed::try_upgrade_until(self, timeout) };
                upgraded(guard, done)
            }
        }
    };
}

rwlock!(RawRwLock);
rwlock!(RawRwLockReaders);
rwlock!(RawRwLockWriters);
rwlock!(RawRwLockGreedy);

/// There are no spurious wakes, and the counts are exact.
// SAFETY: fw_cond releases the mutex and begins to wait in one step; a panic about two mutexes
// comes before that.
unsafe impl new::RawCondvar for Condvar {
    #[allow(clippy::declare_interior_mutable_const)] // a fresh one each time is what is wanted
    const INIT: Self = Self::new();

    type RawMutex = RawMutex;

    unsafe fn wait(&self, mutex: &RawMutex, _: &mut GuardNoSend) {
        // SAFETY: the caller holds the mutex.
        unsafe { self.wait_raw(mutex, crate::deadline::Deadline::NEVER) };
    }

    fn notify_one(&self) -> bool {
        Condvar::notify_one(self)
    }

    fn notify_all(&self) -> usize {
        Condvar::notify_all(self)
    }
}

#[cfg(feature = "std")]
// SAFETY: as above.
unsafe impl new::RawCondvarTimed for Condvar {
    fn checked_duration_to_instant(timeout: &core::time::Duration) -> Option<std::time::Instant> {
        std::time::Instant::now().checked_add(*timeout)
    }

    unsafe fn wait_until(
        &self,
        mutex: &RawMutex,
        _: &mut GuardNoSend,
        timeout: &std::time::Instant,
    ) -> bool {
        // SAFETY: the caller holds the mutex.
        unsafe { self.wait_raw(mutex, crate::deadline::Deadline::at(*timeout)) }.timed_out()
    }
}

#[cfg(feature = "std")]
// SAFETY: that of lock_api 0.4.
unsafe impl new::GetThreadId for crate::RawThreadId {
    const INIT: Self = Self;

    #[inline]
    fn nonzero_thread_id(&self) -> core::num::NonZeroUsize {
        old::GetThreadId::nonzero_thread_id(self)
    }
}
