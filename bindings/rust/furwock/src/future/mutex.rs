// SPDX-License-Identifier: MIT
//! `Mutex::lock_async`.

use core::ffi::c_int;
use core::fmt;
use core::future::Future;
use core::ops::{Deref, DerefMut};
use core::pin::Pin;
use core::ptr;
use core::task::{Context, Poll};

use super::operation::{Operation, Submit, Task};
use crate::{sys, Mutex, RawMutex};

/// The mutex of a guard or a future, for C.
pub(super) fn raw<T: ?Sized>(mutex: &Mutex<T>) -> &RawMutex {
    // SAFETY: it is released only by those that hold it.
    unsafe { mutex.raw() }
}

impl Submit for *mut sys::fw_mutex {
    unsafe fn submit(&self, op: *mut sys::fw_await) -> c_int {
        // SAFETY: the caller's operation; the mutex outlives it.
        unsafe { sys::fw_await_mutex(op, *self, ptr::null()) }
    }
}

/// Locks a [`Mutex`] by a future.
pub trait LockAsync<T: ?Sized> {
    /// A future that locks the mutex.  It does nothing before it is polled; dropping it cancels.
    ///
    /// # Panics
    ///
    /// The future does if four million guards and futures are in use.
    fn lock_async(&self) -> LockFuture<'_, T>;
}

impl<T: ?Sized> LockAsync<T> for Mutex<T> {
    fn lock_async(&self) -> LockFuture<'_, T> {
        LockFuture { operation: Operation::new(), task: None, mutex: self }
    }
}

/// What [`LockAsync::lock_async`] returns.
#[must_use = "futures do nothing unless they are polled"]
pub struct LockFuture<'a, T: ?Sized> {
    operation: Operation,
    task: Option<Task>,
    mutex: &'a Mutex<T>,
}

impl<'a, T: ?Sized> Future for LockFuture<'a, T> {
    type Output = MutexGuard<'a, T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: nothing is moved out of it but the task.
        let this = unsafe { self.get_unchecked_mut() };
        let task = this.task.get_or_insert_with(Task::begin);
        // SAFETY: the operation is pinned, since the future is; drop ends it.
        let result = unsafe { this.operation.poll(cx, task, &raw(this.mutex).as_ptr()) };
        result.map(|error| {
            assert_eq!(error, 0, "a mutex is always granted");
            let task = this.task.take().expect("begun above");
            MutexGuard { mutex: this.mutex, task }
        })
    }
}

impl<T: ?Sized> Drop for LockFuture<'_, T> {
    fn drop(&mut self) {
        self.operation.give_up(); // before its task ends
    }
}

impl<T: ?Sized> fmt::Debug for LockFuture<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LockFuture").finish_non_exhaustive()
    }
}

/// The value of a [`Mutex`], until it is dropped; held by whoever has the guard, in any thread.
#[must_use = "the mutex is released at once if the guard is dropped"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    task: Task,
}

// SAFETY: the mutex is held by `task`, which is no thread's; so the guard may be sent if the value
// may. (A shared reference gives shared references to the value only.)
unsafe impl<T: ?Sized + Send> Send for MutexGuard<'_, T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// The mutex that it holds.
    pub fn mutex(this: &Self) -> &'a Mutex<T> {
        this.mutex
    }

    /// Its parts, without a release.
    pub(super) fn into_parts(this: Self) -> (&'a Mutex<T>, Task) {
        let this = core::mem::ManuallyDrop::new(this);
        // SAFETY: read once, and never dropped.
        (this.mutex, unsafe { ptr::read(&this.task) })
    }

    /// The guard of a mutex that `task` holds.
    pub(super) fn from_parts(mutex: &'a Mutex<T>, task: Task) -> Self {
        Self { mutex, task }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: held by that task.
        unsafe { sys::fw_task_mutex_unlock(raw(self.mutex).as_ptr(), self.task.id()) }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: held.
        unsafe { &*self.mutex.data_ptr() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: held, and the guard is borrowed exclusively.
        unsafe { &mut *self.mutex.data_ptr() }
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
