// SPDX-License-Identifier: MIT
//! `fw_sem`.

use core::cell::UnsafeCell;
use core::fmt;
use core::time::Duration;

use crate::sys;

use crate::deadline::Deadline;

/// A counting semaphore for the threads of one process.
///
/// Greedy, and no waiter starves; no unit is lost by time-outs.  Any thread may release.
///
/// ```
/// use furwock::Semaphore;
///
/// static SLOTS: Semaphore = Semaphore::with_max(2, 2);
///
/// let one = SLOTS.permit(); // released when it is dropped
/// SLOTS.acquire();
/// assert!(!SLOTS.try_acquire());
/// SLOTS.release();
/// drop(one);
/// assert_eq!(SLOTS.available(), 2);
/// assert!(SLOTS.try_release(1).is_err(), "two are the most");
/// ```
pub struct Semaphore(UnsafeCell<sys::fw_sem>);

// SAFETY: fw_sem is made to be used by several threads at once, and does not know its address while
// no thread uses it.
unsafe impl Send for Semaphore {}
// SAFETY: as above; all access is through C functions that take its address.
unsafe impl Sync for Semaphore {}

/// A release would exceed the semaphore's maximum; nothing was released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the semaphore would have more units than its maximum")
    }
}

#[cfg(feature = "std")]
impl std::error::Error for Overflow {}

impl Semaphore {
    /// The largest number of units, and the maximum if none is given.
    pub const MAX: u32 = sys::FW_SEM_MAX;

    /// A semaphore with that many units, and no maximum but [`Semaphore::MAX`].
    ///
    /// # Panics
    ///
    /// If `units` is above it.
    #[must_use]
    pub const fn new(units: u32) -> Self {
        Self::with_max(units, Self::MAX)
    }

    /// A semaphore with that many units, and never more than `max`.
    ///
    /// # Panics
    ///
    /// If `max` is 0 or above [`Semaphore::MAX`], or `units` above `max`.
    #[must_use]
    pub const fn with_max(units: u32, max: u32) -> Self {
        assert!(max > 0 && max <= Self::MAX, "a semaphore's maximum is 1 to Semaphore::MAX");
        assert!(units <= max, "a semaphore has at most its maximum of units");
        let mut sem = sys::FW_SEM_INIT(units);
        sem.limit_ = sys::FW_SEM_MAX ^ max;
        Self(UnsafeCell::new(sem))
    }

    /// The semaphore for C, which lives as long as `self`.
    pub fn as_ptr(&self) -> *mut sys::fw_sem {
        self.0.get()
    }

    /// Takes a unit, waiting for one if need be.
    #[inline]
    pub fn acquire(&self) {
        // SAFETY: the semaphore is initialised, and lives as long as self.
        unsafe { sys::fw_sem_wait(self.as_ptr()) }
    }

    /// Takes a unit if there is one that is not reserved for a waiter.
    #[inline]
    pub fn try_acquire(&self) -> bool {
        // SAFETY: as in acquire.
        unsafe { sys::fw_sem_trywait(self.as_ptr()) == 0 }
    }

    /// Takes a unit, waiting that long at most; false if the time has passed.
    pub fn acquire_for(&self, timeout: Duration) -> bool {
        self.timed(Deadline::after(timeout))
    }

    /// The same, until that moment at most.
    #[cfg(feature = "std")]
    pub fn acquire_until(&self, timeout: std::time::Instant) -> bool {
        self.timed(Deadline::at(timeout))
    }

    fn timed(&self, deadline: Deadline) -> bool {
        // SAFETY: as in acquire; the deadline outlives the call.
        unsafe { sys::fw_sem_timedwait(self.as_ptr(), deadline.as_ptr()) == 0 }
    }

    /// Takes a unit that comes back when the permit is dropped.
    pub fn permit(&self) -> Permit<'_> {
        self.acquire();
        Permit { semaphore: self }
    }

    /// The same if there is one now.
    pub fn try_permit(&self) -> Option<Permit<'_>> {
        self.try_acquire().then(|| Permit { semaphore: self })
    }

    /// The same, waiting that long at most.
    pub fn permit_for(&self, timeout: Duration) -> Option<Permit<'_>> {
        self.acquire_for(timeout).then(|| Permit { semaphore: self })
    }

    /// Adds a unit, and wakes a waiter.
    ///
    /// # Panics
    ///
    /// If there are as many as the maximum.
    #[inline]
    pub fn release(&self) {
        // SAFETY: as in acquire.
        if unsafe { sys::fw_sem_post(self.as_ptr()) } != 0 {
            panic!("{Overflow}");
        }
    }

    /// Adds `units` in one step, and wakes as many waiters.
    ///
    /// # Errors
    ///
    /// [`Overflow`] if that would exceed the maximum; then none is added.
    pub fn try_release(&self, units: u32) -> Result<(), Overflow> {
        // SAFETY: as in acquire.
        match unsafe { sys::fw_sem_post_n(self.as_ptr(), units) } {
            0 => Ok(()),
            _ => Err(Overflow),
        }
    }

    /// How many units there are: a snapshot.
    pub fn available(&self) -> u32 {
        // SAFETY: as in acquire.
        unsafe { sys::fw_sem_value(self.as_ptr()) }
    }
}

impl fmt::Debug for Semaphore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Semaphore").field("available", &self.available()).finish_non_exhaustive()
    }
}

/// A unit of a [`Semaphore`], until it is dropped.  It may go to another thread.
#[derive(Debug)]
#[must_use = "the unit comes back at once if the permit is dropped"]
pub struct Permit<'a> {
    semaphore: &'a Semaphore,
}

impl<'a> Permit<'a> {
    /// A unit that has been taken.
    #[cfg(feature = "std")]
    pub(crate) fn of_taken(semaphore: &'a Semaphore) -> Self {
        Self { semaphore }
    }

    /// Keeps the unit: it does not come back.
    pub fn forget(self) {
        core::mem::forget(self);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.semaphore.release();
    }
}
