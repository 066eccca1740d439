// SPDX-License-Identifier: MIT
//! Futures of objects without an owner: semaphores, events, latches.

use core::ffi::c_int;
use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::ptr;
use core::task::{Context, Poll};

use super::operation::{Operation, Submit, Task};
use crate::{sys, Event, Latch, Permit, Semaphore};

/// The future `$future`, which waits for a `$object` by `$call`.
macro_rules! units {
    ($(#[$doc:meta])* $future:ident, $object:ident, $call:ident) => {
        impl Submit for &$object {
            unsafe fn submit(&self, op: *mut sys::fw_await) -> c_int {
                // SAFETY: the caller's operation; the object outlives it.
                unsafe { sys::$call(op, self.as_ptr(), ptr::null()) }
            }
        }

        $(#[$doc])*
        #[must_use = "futures do nothing unless they are polled"]
        pub struct $future<'a> {
            operation: Operation,
            object: &'a $object,
        }

        impl $future<'_> {
            fn poll_raw(self: Pin<&mut Self>, cx: &Context<'_>) -> Poll<()> {
                // SAFETY: nothing is moved out of it.
                let this = unsafe { self.get_unchecked_mut() };
                // SAFETY: the operation is pinned, since the future is; drop ends it.
                let result = unsafe { this.operation.poll(cx, &Task::NONE, &this.object) };
                result.map(|error| assert_eq!(error, 0, "it is always granted"))
            }
        }

        impl Drop for $future<'_> {
            fn drop(&mut self) {
                self.operation.give_up();
            }
        }

        impl fmt::Debug for $future<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($future)).finish_non_exhaustive()
            }
        }
    };
}

units! {
    /// What [`Semaphore::acquire_async`] returns.
    AcquireFuture, Semaphore, fw_await_sem
}

units! {
    /// What [`Event::wait_async`] returns.
    EventWait, Event, fw_await_event
}

units! {
    /// What [`Latch::wait_async`] returns.
    LatchWait, Latch, fw_await_latch
}

impl Future for AcquireFuture<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_raw(cx)
    }
}

impl Future for EventWait<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_raw(cx)
    }
}

impl Future for LatchWait<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.poll_raw(cx)
    }
}

/// What [`Semaphore::permit_async`] returns.
#[derive(Debug)]
#[must_use = "futures do nothing unless they are polled"]
pub struct PermitFuture<'a>(AcquireFuture<'a>);

impl<'a> Future for PermitFuture<'a> {
    type Output = Permit<'a>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Permit<'a>> {
        let semaphore = self.0.object;
        // SAFETY: it is pinned as long as self.
        let acquire = unsafe { self.map_unchecked_mut(|this| &mut this.0) };
        acquire.poll_raw(cx).map(|()| Permit::of_taken(semaphore))
    }
}

impl Semaphore {
    /// A future that takes a unit.  It does nothing before it is polled; dropping it cancels, and
    /// loses no unit.
    pub const fn acquire_async(&self) -> AcquireFuture<'_> {
        AcquireFuture { operation: Operation::new(), object: self }
    }

    /// The same, of a unit that comes back when the permit is dropped.
    ///
    /// ```
    /// # use furwock::Semaphore;
    /// static DOWNLOADS: Semaphore = Semaphore::new(8);
    ///
    /// async fn download(name: &str) {
    ///     let _permit = DOWNLOADS.permit_async().await; // eight at a time
    ///     // ...
    /// }
    /// ```
    pub const fn permit_async(&self) -> PermitFuture<'_> {
        PermitFuture(self.acquire_async())
    }
}

impl Event {
    /// A future that ends when it is set, and resets an automatic one.  It does nothing before it
    /// is polled; dropping it cancels, and loses no signal.
    pub const fn wait_async(&self) -> EventWait<'_> {
        EventWait { operation: Operation::new(), object: self }
    }
}

impl Latch {
    /// A future that ends when the count is zero.  It does nothing before it is polled; dropping it
    /// cancels.
    pub const fn wait_async(&self) -> LatchWait<'_> {
        LatchWait { operation: Operation::new(), object: self }
    }
}
