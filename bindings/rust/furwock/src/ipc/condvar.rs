// SPDX-License-Identifier: MIT
//! Waiting for a condition that another process brings about.

use std::fmt;
use std::mem::size_of;
use std::ptr::NonNull;
use std::time::{Duration, Instant};

use furwock_sys::ipc as sys;

use crate::deadline::Deadline;

use super::error::{check, errno, Error};
use super::guard::Guard;
use super::lock_error::LockError;
use super::mutex::{LockResult, MutexGuard};
use super::region::{Creation, UntrustedRegion};
use super::shm::ShmSafe;

/// A condition variable of a region, used with a [`Mutex`](super::Mutex) of the same region, the
/// same one for all waiters.
///
/// No wake-up is lost with a process that dies in it: the others are woken in its place.  The
/// price is spurious wake-ups: test the condition in a loop, or use
/// [`wait_while`](Condvar::wait_while).
///
/// Notify while the mutex is held: if a process dies before it has, the next one to take the mutex
/// learns of the death, and its repair can notify.
///
/// ```
/// # let name = format!("/furwock-doc-condvar-{}", std::process::id());
/// use furwock::ipc::{Condvar, Mutex, Region};
///
/// // SAFETY: only this program uses the region.
/// let region = unsafe { Region::options().create(true).open(&name) }?;
/// # Region::remove(&name)?;
/// let letters = Mutex::open_or_create(&region, "letters", 0_u64)?;
/// let not_empty = Condvar::open_or_create(&region, "not empty")?;
///
/// std::thread::scope(|scope| {
///     scope.spawn(|| {
///         let mut letters = letters.lock().unwrap();
///         *letters += 1;
///         not_empty.notify_one().unwrap();
///     });
///     let letters = letters.lock().unwrap();
///     let mut letters = not_empty.wait_while(letters, |letters| *letters == 0).unwrap();
///     *letters -= 1;
/// });
/// # Ok::<(), furwock::ipc::Error>(())
/// ```
pub struct Condvar {
    _region: UntrustedRegion,
    cond: NonNull<sys::fw_ipc_cond>,
}

// SAFETY: the calls of C may be made by any thread.
unsafe impl Send for Condvar {}
// SAFETY: the same.
unsafe impl Sync for Condvar {}

/// What the timed waits return: the guard, and whether the time was over.
pub type TimedResult<'a, T> = Result<(MutexGuard<'a, T>, bool), LockError<MutexGuard<'a, T>>>;

const DURING: &str = "wait for the condition";

impl Condvar {
    object_constructors!("condition variable");

    fn with(region: &UntrustedRegion, name: &str, how: Creation) -> Result<Self, Error> {
        let size = size_of::<sys::fw_ipc_cond>();
        let cond = region.object(name, sys::FW_REGION_COND, size, how)?.cast();
        Ok(Self { _region: region.clone(), cond })
    }

    pub(super) fn raw(&self) -> *mut sys::fw_ipc_cond {
        self.cond.as_ptr()
    }

    /// Releases the mutex and waits until woken, in one step; then takes it again.
    ///
    /// A wait is an unlock and a lock: the mutex's journal is committed, and the result is that of
    /// [`Mutex::lock`](super::Mutex::lock).
    ///
    /// # Errors
    /// [`LockError`] says which of them hold the lock.  If the mutex lies in another region,
    /// nothing was waited for, and it is released ([`LockError::Other`]).
    pub fn wait<'a, T: ShmSafe>(&self, guard: MutexGuard<'a, T>) -> LockResult<'a, T> {
        self.wait_by(guard, &Deadline::after(Duration::MAX)).map(|(guard, _)| guard)
    }

    /// The same as long as `condition` is true.
    ///
    /// # Errors
    /// As for [`wait`](Self::wait).
    pub fn wait_while<'a, T: ShmSafe>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: impl FnMut(&T) -> bool,
    ) -> LockResult<'a, T> {
        while condition(&guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// The same as [`wait`](Self::wait), for that time at most; true: it was over, and no
    /// notification was consumed.
    ///
    /// # Errors
    /// As for [`wait`](Self::wait).
    pub fn wait_for<'a, T: ShmSafe>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
    ) -> TimedResult<'a, T> {
        self.wait_by(guard, &Deadline::after(timeout))
    }

    /// The same until that moment at most.
    ///
    /// # Errors
    /// As for [`wait`](Self::wait).
    pub fn wait_until<'a, T: ShmSafe>(
        &self,
        guard: MutexGuard<'a, T>,
        deadline: Instant,
    ) -> TimedResult<'a, T> {
        self.wait_by(guard, &Deadline::at(deadline))
    }

    /// Waits as long as `condition` is true, for that time at most; true: the time was over, and
    /// the condition is still true.
    ///
    /// # Errors
    /// As for [`wait`](Self::wait).
    pub fn wait_while_for<'a, T: ShmSafe>(
        &self,
        mut guard: MutexGuard<'a, T>,
        timeout: Duration,
        mut condition: impl FnMut(&T) -> bool,
    ) -> TimedResult<'a, T> {
        let deadline = Deadline::after(timeout);
        while condition(&guard) {
            let (again, is_over) = self.wait_by(guard, &deadline)?;
            guard = again;
            if is_over {
                let is_true = condition(&guard);
                return Ok((guard, is_true));
            }
        }
        Ok((guard, false))
    }

    fn wait_by<'a, T: ShmSafe>(
        &self,
        guard: MutexGuard<'a, T>,
        deadline: &Deadline,
    ) -> TimedResult<'a, T> {
        let mutex = guard.lock;
        let lock = mutex.parts.lock.as_ptr();
        // SAFETY: both lie in regions that are open; null is no policy, and no deadline.
        let result = unsafe {
            let none = std::ptr::null();
            sys::fw_ipc_cond_wait_policy(self.cond.as_ptr(), lock, none, deadline.as_ptr())
        };
        match result {
            // Nothing was done: the guard still holds the mutex, and its drop releases it.
            errno::EINVAL | errno::EAGAIN => Err(LockError::of(result, DURING)),
            errno::ETIMEDOUT => {
                Guard::after(guard.into_lock(), 0, DURING).map(|guard| (guard, true))
            }
            _ => Guard::after(guard.into_lock(), result, DURING).map(|guard| (guard, false)),
        }
    }

    /// Wakes a waiter, if any.
    ///
    /// # Errors
    /// Only if the region's memory was overwritten.
    pub fn notify_one(&self) -> Result<(), Error> {
        // SAFETY: in a region that is open.
        check(unsafe { sys::fw_ipc_cond_signal(self.cond.as_ptr()) }, "notify one waiter")
    }

    /// Wakes all waiters, one after the other as the mutex becomes free.
    ///
    /// # Errors
    /// As for [`notify_one`](Self::notify_one).
    pub fn notify_all(&self) -> Result<(), Error> {
        // SAFETY: as above.
        check(unsafe { sys::fw_ipc_cond_broadcast(self.cond.as_ptr()) }, "notify all waiters")
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}
