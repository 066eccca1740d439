// SPDX-License-Identifier: MIT
//! `fw_cond`, with parking_lot's interface.

use core::cell::UnsafeCell;
use core::ffi::c_int;
use core::fmt;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use core::time::Duration;

use crate::sys;

use crate::deadline::Deadline;
use crate::{MutexGuard, RawMutex};

/// Did a wait with a time-out end because the time had passed?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// True if the time had passed.  The wait has then taken no notification.
    #[must_use]
    pub fn timed_out(self) -> bool {
        self.0
    }
}

/// A condition variable, for use with a [`Mutex`](crate::Mutex).
///
/// No notification is lost, and none is stolen: it wakes the thread that has waited longest (among
/// equal priorities), and a thread that begins to wait later cannot take it.  Test the condition in
/// a loop all the same: between the wake and the lock another thread may have changed it.
///
/// [`notify_all`](Condvar::notify_all) moves the waiters to the mutex: they wake one after the
/// other as it becomes free.
///
/// In the child of a fork no thread waits.  If threads of the parent waited at the fork, the child
/// must go on to use the same mutex with it.
///
/// ```
/// use furwock::{Condvar, Mutex};
/// use std::time::Duration;
///
/// static READY: Mutex<bool> = Mutex::new(false);
/// static CHANGED: Condvar = Condvar::new();
///
/// let waiter = std::thread::spawn(|| {
///     let mut ready = READY.lock();
///     !CHANGED
///         .wait_while_for(&mut ready, |ready| !*ready, Duration::from_secs(60))
///         .timed_out()
/// });
/// *READY.lock() = true;
/// CHANGED.notify_all();
/// assert!(waiter.join().unwrap());
/// ```
pub struct Condvar {
    cond: UnsafeCell<sys::fw_cond>,
    /// The mutex of the threads that have begun to wait, and have not returned.  A thread sets it,
    /// and changes `users`, while it holds that mutex.
    mutex: AtomicPtr<sys::fw_mutex>,
    users: AtomicU32,
}

// SAFETY: fw_cond is made to be used by several threads at once, and does not know its address
// while no thread uses it.
unsafe impl Send for Condvar {}
// SAFETY: as above; all access to fw_cond is through C functions that take its address.
unsafe impl Sync for Condvar {}

const TWO_MUTEXES: &str = "a condition variable is used with two mutexes at the same time";

/// A thread that waits, from before it releases the mutex until it has it again.
struct User<'a>(&'a Condvar);

impl<'a> User<'a> {
    /// The caller holds `mutex`.
    fn begin(condvar: &'a Condvar, mutex: *mut sys::fw_mutex) -> Self {
        // Acquire and release: `users` passes from one mutex to the next.
        let order = (Ordering::AcqRel, Ordering::Relaxed);
        match condvar.mutex.compare_exchange(ptr::null_mut(), mutex, order.0, order.1) {
            Ok(_) => {}
            Err(other) if other == mutex => {}
            Err(_) => panic!("{TWO_MUTEXES}"),
        }
        condvar.users.fetch_add(1, Ordering::Relaxed);
        Self(condvar)
    }
}

impl Drop for User<'_> {
    /// The caller holds the mutex again.
    fn drop(&mut self) {
        if self.0.users.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.mutex.store(ptr::null_mut(), Ordering::Release);
        }
    }
}

impl Condvar {
    /// A condition variable for which no thread waits.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            cond: UnsafeCell::new(sys::FW_COND_INIT),
            mutex: AtomicPtr::new(ptr::null_mut()),
            users: AtomicU32::new(0),
        }
    }

    /// The condition variable for C, which lives as long as `self`.
    pub fn as_ptr(&self) -> *mut sys::fw_cond {
        self.cond.get()
    }

    /// Wakes the thread that has waited longest; false if no thread waits.
    #[inline]
    pub fn notify_one(&self) -> bool {
        // SAFETY: the variable is initialised, and lives as long as self.
        unsafe { sys::fw_cond_signal(self.as_ptr()) != 0 }
    }

    /// Wakes all threads that wait, one after the other as the mutex becomes free; says how many.
    #[inline]
    pub fn notify_all(&self) -> usize {
        // SAFETY: as in notify_one.
        unsafe { sys::fw_cond_broadcast(self.as_ptr()) as usize }
    }

    /// Releases the mutex and waits until notified, in one step; then locks the mutex again.
    ///
    /// # Panics
    ///
    /// If threads wait with another mutex, or have not yet returned from such a wait.
    pub fn wait<T: ?Sized>(&self, guard: &mut MutexGuard<'_, T>) {
        // SAFETY: the guard holds it.
        unsafe { self.wait_raw(raw(guard), Deadline::NEVER) };
    }

    /// The same, but at most that long.
    ///
    /// # Panics
    ///
    /// As [`wait`](Condvar::wait).
    pub fn wait_for<T: ?Sized>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        timeout: Duration,
    ) -> WaitTimeoutResult {
        // SAFETY: the guard holds it.
        unsafe { self.wait_raw(raw(guard), Deadline::after(timeout)) }
    }

    /// The same, until that moment at most.
    ///
    /// # Panics
    ///
    /// As [`wait`](Condvar::wait).
    #[cfg(feature = "std")]
    pub fn wait_until<T: ?Sized>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        timeout: std::time::Instant,
    ) -> WaitTimeoutResult {
        // SAFETY: the guard holds it.
        unsafe { self.wait_raw(raw(guard), Deadline::at(timeout)) }
    }

    /// Waits as long as `condition` returns true.
    ///
    /// # Panics
    ///
    /// As [`wait`](Condvar::wait), and if `condition` does.
    pub fn wait_while<T: ?Sized, F>(&self, guard: &mut MutexGuard<'_, T>, condition: F)
    where
        F: FnMut(&mut T) -> bool,
    {
        self.while_(guard, condition, Deadline::NEVER);
    }

    /// The same, but at most that long.  `condition` is not called again once the time has passed.
    ///
    /// # Panics
    ///
    /// As [`wait_while`](Condvar::wait_while).
    pub fn wait_while_for<T: ?Sized, F>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        condition: F,
        timeout: Duration,
    ) -> WaitTimeoutResult
    where
        F: FnMut(&mut T) -> bool,
    {
        self.while_(guard, condition, Deadline::after(timeout))
    }

    /// The same, until that moment at most.
    ///
    /// # Panics
    ///
    /// As [`wait_while`](Condvar::wait_while).
    #[cfg(feature = "std")]
    pub fn wait_while_until<T: ?Sized, F>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        condition: F,
        timeout: std::time::Instant,
    ) -> WaitTimeoutResult
    where
        F: FnMut(&mut T) -> bool,
    {
        self.while_(guard, condition, Deadline::at(timeout))
    }

    fn while_<T: ?Sized>(
        &self,
        guard: &mut MutexGuard<'_, T>,
        mut condition: impl FnMut(&mut T) -> bool,
        deadline: Deadline,
    ) -> WaitTimeoutResult {
        let mut result = WaitTimeoutResult(false);
        while !result.timed_out() && condition(guard) {
            // SAFETY: the guard holds it.
            result = unsafe { self.wait_raw(raw(guard), deadline) };
        }
        result
    }

    /// Do the threads that wait, if any do, wait with that mutex?  The caller holds it.
    ///
    /// # Panics
    ///
    /// If not.
    #[cfg(feature = "std")]
    pub(crate) fn assert_waits_with(&self, mutex: &RawMutex) {
        let other = self.mutex.load(Ordering::Acquire);
        assert!(other.is_null() || other == mutex.as_ptr(), "{TWO_MUTEXES}");
    }

    /// # Safety
    ///
    /// The caller holds the mutex.
    pub(crate) unsafe fn wait_raw(
        &self,
        mutex: &RawMutex,
        deadline: Deadline,
    ) -> WaitTimeoutResult {
        // SAFETY: both are initialised and live as long as they are borrowed; the caller holds the
        // mutex; the deadline outlives the call.
        let wait = |cond, mutex| unsafe { sys::fw_cond_timedwait(cond, mutex, deadline.as_ptr()) };
        WaitTimeoutResult(self.wait_by(mutex, wait) != 0)
    }

    /// What `wait` returns, which waits with the mutex, which the caller holds.
    pub(crate) fn wait_by(
        &self,
        mutex: &RawMutex,
        wait: impl FnOnce(*mut sys::fw_cond, *mut sys::fw_mutex) -> c_int,
    ) -> c_int {
        let _user = User::begin(self, mutex.as_ptr());
        wait(self.as_ptr(), mutex.as_ptr())
    }
}

/// The raw mutex that the guard holds.
pub(crate) fn raw<'a, T: ?Sized>(guard: &MutexGuard<'a, T>) -> &'a RawMutex {
    // SAFETY: it is released and taken again by fw_cond only, while the guard is borrowed.
    unsafe { MutexGuard::mutex(guard).raw() }
}

impl Default for Condvar {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}
