// SPDX-License-Identifier: MIT
//! `Condvar::wait_async`.

use core::ffi::c_int;
use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::ptr;
use core::task::{Context, Poll};

use super::mutex::{raw, MutexGuard};
use super::operation::{Operation, Submit, Task};
use crate::{sys, Condvar, Mutex};

struct Wait {
    cond: *mut sys::fw_cond,
    mutex: *mut sys::fw_mutex,
}

impl Submit for Wait {
    const WAKES_TWICE: bool = true; // when it is notified, and when it has the mutex

    unsafe fn submit(&self, op: *mut sys::fw_await) -> c_int {
        // SAFETY: the caller's operation, whose task holds the mutex; both objects outlive it.
        unsafe { sys::fw_await_cond(op, self.cond, self.mutex, ptr::null()) }
    }
}

/// What [`Condvar::wait_async`] returns.
#[must_use = "futures do nothing unless they are polled"]
pub struct ConditionWait<'a, T: ?Sized> {
    operation: Operation,
    /// Before it is polled, the guard.
    guard: Option<MutexGuard<'a, T>>,
    /// While it waits, what the guard was made of.
    task: Option<Task>,
    mutex: &'a Mutex<T>,
    condvar: &'a Condvar,
}

impl<T: ?Sized> ConditionWait<'_, T> {
    fn for_c(&self) -> Wait {
        Wait { cond: self.condvar.as_ptr(), mutex: raw(self.mutex).as_ptr() }
    }
}

impl<'a, T: ?Sized> Future for ConditionWait<'a, T> {
    type Output = MutexGuard<'a, T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: nothing is moved out of it but the guard and the task.
        let this = unsafe { self.get_unchecked_mut() };
        if let Some(guard) = this.guard.take() {
            this.condvar.assert_waits_with(raw(this.mutex));
            this.task = Some(MutexGuard::into_parts(guard).1);
        }
        let wait = this.for_c();
        let task = this.task.as_ref().expect("not polled after its end");
        // SAFETY: the operation is pinned, since the future is; drop ends it.
        let result = unsafe { this.operation.poll(cx, task, &wait) };
        result.map(|error| {
            assert_eq!(error, 0, "a wait without a deadline ends by a notification");
            let task = this.task.take().expect("it waited with it");
            MutexGuard::from_parts(this.mutex, task)
        })
    }
}

impl<T: ?Sized> Drop for ConditionWait<'_, T> {
    fn drop(&mut self) {
        if self.operation.cancel() {
            self.condvar.notify_one(); // the one that it was given is somebody else's
            let task = self.task.take().expect("it waited with it");
            drop(MutexGuard::from_parts(self.mutex, task));
        }
    }
}

impl<T: ?Sized> fmt::Debug for ConditionWait<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConditionWait").finish_non_exhaustive()
    }
}

impl Condvar {
    /// A future that releases the mutex, waits until notified, and locks the mutex again.
    ///
    /// The mutex is released when the future is polled, in one step with the beginning of the wait.
    /// Dropping it releases the mutex, if it has not done so, and passes on a notification that it
    /// had been given.
    ///
    /// ```
    /// # use furwock::{future::LockAsync, Condvar, Mutex};
    /// async fn get(queue: &Mutex<Vec<u32>>, not_empty: &Condvar) -> u32 {
    ///     let mut items = queue.lock_async().await;
    ///     loop {
    ///         match items.pop() {
    ///             Some(item) => return item,
    ///             None => items = not_empty.wait_async(items).await,
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// The future does if threads wait with another mutex.  (If tasks do, the process ends with a
    /// message.)
    pub fn wait_async<'a, T: ?Sized>(&'a self, guard: MutexGuard<'a, T>) -> ConditionWait<'a, T> {
        ConditionWait {
            operation: Operation::new(),
            mutex: MutexGuard::mutex(&guard),
            guard: Some(guard),
            task: None,
            condvar: self,
        }
    }

    /// Waits by [`wait_async`](Condvar::wait_async) as long as `condition` returns true.
    ///
    /// # Panics
    ///
    /// As [`wait_async`](Condvar::wait_async), and if `condition` does.
    pub async fn wait_while_async<'a, T: ?Sized>(
        &'a self,
        mut guard: MutexGuard<'a, T>,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> MutexGuard<'a, T> {
        while condition(&mut guard) {
            guard = self.wait_async(guard).await;
        }
        guard
    }
}
