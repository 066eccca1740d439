// SPDX-License-Identifier: MIT
//! `RwLock::read_async` and `write_async`.

use core::ffi::c_int;
use core::fmt;
use core::future::Future;
use core::ops::{Deref, DerefMut};
use core::pin::Pin;
use core::ptr;
use core::task::{Context, Poll};

use super::operation::{Operation, Submit, Task};
use crate::{sys, RawRwLock, RawRwLockGreedy, RawRwLockReaders, RawRwLockWriters};

mod sealed {
    /// The lock for C.
    pub trait ForC {
        fn for_c(&self) -> *mut furwock_sys::fw_rwlock;
    }
}
use sealed::ForC;

/// The raw locks that futures can wait for: those of this crate.
pub trait RawRwLockAsync: lock_api::RawRwLock + ForC {}

macro_rules! raw_rwlock_async {
    ($($name:ident),*) => {
        $(
            impl ForC for $name {
                fn for_c(&self) -> *mut furwock_sys::fw_rwlock {
                    self.as_ptr()
                }
            }

            impl RawRwLockAsync for $name {}
        )*
    };
}

raw_rwlock_async!(RawRwLock, RawRwLockReaders, RawRwLockWriters, RawRwLockGreedy);

/// The lock of a guard or a future, for C.
fn raw<R: RawRwLockAsync, T: ?Sized>(lock: &lock_api::RwLock<R, T>) -> *mut sys::fw_rwlock {
    // SAFETY: it is released only by those that hold it.
    unsafe { lock.raw() }.for_c()
}

struct Read(*mut sys::fw_rwlock);

impl Submit for Read {
    unsafe fn submit(&self, op: *mut sys::fw_await) -> c_int {
        // SAFETY: the caller's operation; the lock outlives it.
        unsafe { sys::fw_await_rdlock(op, self.0, ptr::null()) }
    }
}

struct Write(*mut sys::fw_rwlock);

impl Submit for Write {
    unsafe fn submit(&self, op: *mut sys::fw_await) -> c_int {
        // SAFETY: the caller's operation; the lock outlives it.
        unsafe { sys::fw_await_wrlock(op, self.0, ptr::null()) }
    }
}

/// Locks an [`RwLock`](crate::RwLock) of any kind by futures.
///
/// ```
/// # use furwock::future::RwLockAsync;
/// # use furwock::RwLock;
/// async fn sum(prices: &RwLock<Vec<u32>>) -> u32 {
///     prices.read_async().await.iter().sum()
/// }
///
/// async fn raise(prices: &RwLock<Vec<u32>>) {
///     for price in prices.write_async().await.iter_mut() {
///         *price += 1;
///     }
/// }
/// ```
pub trait RwLockAsync<R: RawRwLockAsync, T: ?Sized> {
    /// A future that locks it for reading.  It does nothing before it is polled; dropping it
    /// cancels.
    ///
    /// # Panics
    ///
    /// The future does if four million guards and futures are in use.
    fn read_async(&self) -> ReadFuture<'_, R, T>;

    /// The same for writing.
    ///
    /// # Panics
    ///
    /// As [`read_async`](RwLockAsync::read_async).
    fn write_async(&self) -> WriteFuture<'_, R, T>;
}

impl<R: RawRwLockAsync, T: ?Sized> RwLockAsync<R, T> for lock_api::RwLock<R, T> {
    fn read_async(&self) -> ReadFuture<'_, R, T> {
        ReadFuture { operation: Operation::new(), task: None, lock: self }
    }

    fn write_async(&self) -> WriteFuture<'_, R, T> {
        WriteFuture { operation: Operation::new(), task: None, lock: self }
    }
}

/// A future and the guard that it gives.
macro_rules! side {
    (
        $future:ident, $submit:ident, $guard:ident, $unlock:ident, $method:literal, $what:literal,
        send: $send:ident
    ) => {
        #[doc = concat!("What [`RwLockAsync::", $method, "`] returns.")]
        #[must_use = "futures do nothing unless they are polled"]
        pub struct $future<'a, R: RawRwLockAsync, T: ?Sized> {
            operation: Operation,
            task: Option<Task>,
            lock: &'a lock_api::RwLock<R, T>,
        }

        impl<'a, R: RawRwLockAsync, T: ?Sized> Future for $future<'a, R, T> {
            type Output = $guard<'a, R, T>;

            fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
                // SAFETY: nothing is moved out of it but the task.
                let this = unsafe { self.get_unchecked_mut() };
                let task = this.task.get_or_insert_with(Task::begin);
                // SAFETY: the operation is pinned, since the future is; drop ends it.
                let result = unsafe { this.operation.poll(cx, task, &$submit(raw(this.lock))) };
                result.map(|error| {
                    assert_eq!(error, 0, "a read-write lock is always granted");
                    let task = this.task.take().expect("begun above");
                    $guard { lock: this.lock, task }
                })
            }
        }

        impl<R: RawRwLockAsync, T: ?Sized> Drop for $future<'_, R, T> {
            fn drop(&mut self) {
                self.operation.give_up();
            }
        }

        impl<R: RawRwLockAsync, T: ?Sized> fmt::Debug for $future<'_, R, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($future)).finish_non_exhaustive()
            }
        }

        #[doc = concat!(
            $what, " access to the value of a read-write lock, until it is dropped; held by \
             whoever has the guard, in any thread."
        )]
        #[must_use = "the lock is released at once if the guard is dropped"]
        pub struct $guard<'a, R: RawRwLockAsync, T: ?Sized> {
            lock: &'a lock_api::RwLock<R, T>,
            task: Task,
        }

        // SAFETY: the lock is held by `task`, which is no thread's; what the guard gives access to
        // may be sent, or shared, if the value may.
        unsafe impl<R: RawRwLockAsync + Sync, T: ?Sized + $send> Send for $guard<'_, R, T> {}
        // SAFETY: a shared guard gives shared references to the value only.
        unsafe impl<R: RawRwLockAsync + Sync, T: ?Sized + Sync> Sync for $guard<'_, R, T> {}

        impl<'a, R: RawRwLockAsync, T: ?Sized> $guard<'a, R, T> {
            /// The lock that it holds.
            pub fn rwlock(this: &Self) -> &'a lock_api::RwLock<R, T> {
                this.lock
            }
        }

        impl<R: RawRwLockAsync, T: ?Sized> Drop for $guard<'_, R, T> {
            #[inline]
            fn drop(&mut self) {
                // SAFETY: held by that task.
                unsafe { sys::$unlock(raw(self.lock), self.task.id()) }
            }
        }

        impl<R: RawRwLockAsync, T: ?Sized> Deref for $guard<'_, R, T> {
            type Target = T;

            #[inline]
            fn deref(&self) -> &T {
                // SAFETY: held.
                unsafe { &*self.lock.data_ptr() }
            }
        }

        impl<R: RawRwLockAsync, T: ?Sized + fmt::Debug> fmt::Debug for $guard<'_, R, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                (**self).fmt(f)
            }
        }
    };
}

side! {
    ReadFuture, Read, RwLockReadGuard, fw_task_rwlock_rdunlock, "read_async", "Shared", send: Sync
}

side! {
    WriteFuture, Write, RwLockWriteGuard, fw_task_rwlock_wrunlock, "write_async", "Exclusive",
    send: Send
}

impl<R: RawRwLockAsync, T: ?Sized> DerefMut for RwLockWriteGuard<'_, R, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: held for writing, and the guard is borrowed exclusively.
        unsafe { &mut *self.lock.data_ptr() }
    }
}
