// SPDX-License-Identifier: MIT
//! Conditional critical sections: `fw_mutex_timedawait`.

use core::ffi::c_void;
use core::time::Duration;

use crate::sys;

use crate::condvar::raw;
use crate::deadline::Deadline;
use crate::MutexGuard;

mod sealed {
    pub trait Sealed {}
}

impl<T: ?Sized> sealed::Sealed for MutexGuard<'_, T> {}

/// Waits for a condition of the value in a [`Mutex`](crate::Mutex), without a
/// [`Condvar`](crate::Condvar): nobody notifies, so no notification can be forgotten.
///
/// Each release of the mutex evaluates the predicates of the threads that wait so, and hands the
/// mutex to the first whose predicate is true: it still is when the wait returns.  So a predicate
/// runs in other threads, too, with the mutex held: it should be short, and use no lock.  A panic
/// of a predicate in another thread than that which waits ends the process.
///
/// It suits few waiters, or simple conditions; while no thread waits so, the mutex is as fast as
/// ever.
///
/// ```
/// use furwock::{Mutex, MutexGuardExt};
///
/// static QUEUE: Mutex<Vec<u32>> = Mutex::new(Vec::new());
///
/// let consumer = std::thread::spawn(|| {
///     let mut queue = QUEUE.lock();
///     queue.wait_until(|queue| !queue.is_empty());
///     queue.pop().expect("not empty")
/// });
/// QUEUE.lock().push(7);
/// assert_eq!(consumer.join().unwrap(), 7);
/// ```
pub trait MutexGuardExt<T: ?Sized>: sealed::Sealed {
    /// Waits until the predicate is true.
    ///
    /// # Panics
    ///
    /// If the predicate does so in this thread before the wait.
    fn wait_until<F>(&mut self, predicate: F)
    where
        F: Fn(&T) -> bool + Sync;

    /// Waits that long at most: is the predicate true?
    ///
    /// # Panics
    ///
    /// As [`wait_until`](MutexGuardExt::wait_until).
    #[must_use]
    fn wait_until_for<F>(&mut self, predicate: F, timeout: Duration) -> bool
    where
        F: Fn(&T) -> bool + Sync;

    /// Waits until that moment at most: is the predicate true?
    ///
    /// # Panics
    ///
    /// As [`wait_until`](MutexGuardExt::wait_until).
    #[cfg(feature = "std")]
    #[must_use]
    fn wait_until_at<F>(&mut self, predicate: F, timeout: std::time::Instant) -> bool
    where
        F: Fn(&T) -> bool + Sync;
}

impl<T: ?Sized> MutexGuardExt<T> for MutexGuard<'_, T> {
    fn wait_until<F>(&mut self, predicate: F)
    where
        F: Fn(&T) -> bool + Sync,
    {
        wait(self, &predicate, Deadline::NEVER);
    }

    fn wait_until_for<F>(&mut self, predicate: F, timeout: Duration) -> bool
    where
        F: Fn(&T) -> bool + Sync,
    {
        wait(self, &predicate, Deadline::after(timeout))
    }

    #[cfg(feature = "std")]
    fn wait_until_at<F>(&mut self, predicate: F, timeout: std::time::Instant) -> bool
    where
        F: Fn(&T) -> bool + Sync,
    {
        wait(self, &predicate, Deadline::at(timeout))
    }
}

struct Condition<'a, T: ?Sized, F> {
    value: *const T,
    predicate: &'a F,
}

/// A panic while this lives would unwind into C: the second one ends the process.
struct NoUnwinding;

impl Drop for NoUnwinding {
    fn drop(&mut self) {
        panic!("the predicate of a wait panicked");
    }
}

/// Evaluates a `Condition<T, F>`.
unsafe extern "C" fn evaluate<T: ?Sized, F: Fn(&T) -> bool>(condition: *mut c_void) -> bool {
    let no_unwinding = NoUnwinding;
    // SAFETY: the thread that waits has borrowed it, and waits; the calling thread holds the mutex.
    let result = unsafe {
        let condition = &*condition.cast::<Condition<'_, T, F>>();
        (condition.predicate)(&*condition.value)
    };
    core::mem::forget(no_unwinding);
    result
}

fn wait<T: ?Sized, F>(guard: &mut MutexGuard<'_, T>, predicate: &F, deadline: Deadline) -> bool
where
    F: Fn(&T) -> bool + Sync,
{
    if predicate(guard) {
        return true;
    }
    let mutex = raw(guard).as_ptr();
    let value: *const T = MutexGuard::mutex(guard).data_ptr();
    let mut condition = Condition { value, predicate };
    // SAFETY: this thread holds the mutex, and nobody has borrowed the value from the guard, which
    // is borrowed here.  The condition and the deadline outlive the call.  Whoever evaluates holds
    // the mutex: to that thread the value comes as if it had locked it (so T is Send, or no other
    // thread has the mutex), and the predicate is Sync.
    unsafe {
        sys::fw_mutex_timedawait(
            mutex,
            Some(evaluate::<T, F>),
            core::ptr::addr_of_mut!(condition).cast(),
            deadline.as_ptr(),
        ) == 0
    }
}
