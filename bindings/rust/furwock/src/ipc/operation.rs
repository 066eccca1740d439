// SPDX-License-Identifier: MIT
//! One wait of a future for an object of a region.

use std::cell::UnsafeCell;
use std::ffi::c_int;
use std::marker::PhantomPinned;
use std::mem::MaybeUninit;
use std::ptr::{addr_of, addr_of_mut};
use std::task::{Context, Poll};

use furwock_sys as sys;
use sys::ipc::{fw_await_ipc_give_back, fw_await_ipc_permit};

use super::driver::{ended, Driver, Waiting};
use super::error::Error;
use crate::future::operation::{Submit, Task};
use crate::sys::errno::EINPROGRESS;

/// An operation that waits at most once at a time.
pub(super) struct Operation {
    waiting: UnsafeCell<MaybeUninit<Waiting>>,
    /// Where it waits, or waited until it ended and nobody has been told.
    driver: Option<&'static Driver>,
    _pinned: PhantomPinned,
}

// SAFETY: what others touch is in the driver's lock (DRV1); wakers are Send and Sync.
unsafe impl Send for Operation {}
// SAFETY: no method takes a shared reference, but one that reads what has ended.
unsafe impl Sync for Operation {}

impl Operation {
    pub(super) const fn new() -> Self {
        Self {
            waiting: UnsafeCell::new(MaybeUninit::uninit()),
            driver: None,
            _pinned: PhantomPinned,
        }
    }

    fn waiting(&self) -> *mut Waiting {
        self.waiting.get().cast()
    }

    /// Submits it, if it is not waiting; else asks whether it has ended.  The result of C, or why
    /// it could not even be submitted.
    ///
    /// # Safety
    ///
    /// The operation is pinned, and the object of `submit` lives until it has ended; always the
    /// same `submit`.
    pub(super) unsafe fn poll<S: Submit>(
        &mut self,
        cx: &Context<'_>,
        task: &Task,
        submit: &S,
    ) -> Poll<Result<c_int, Error>> {
        let waiting = self.waiting();
        let Some(driver) = self.driver else {
            // SAFETY: the caller's promise.
            return match unsafe { self.submit(cx, task, submit) } {
                Ok(EINPROGRESS) => Poll::Pending,
                other => Poll::Ready(other),
            };
        };
        let of = driver.lock();
        // SAFETY: it was submitted; in the lock.  (Its operation others may be granting.)
        let (result, known) = unsafe { ((*waiting).result, &mut *addr_of_mut!((*waiting).waker)) };
        if result != EINPROGRESS {
            self.driver = None;
            return Poll::Ready(Ok(result));
        }
        if !known.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            let former = known.replace(cx.waker().clone());
            drop(of);
            drop(former); // which may be the last reference to a task
        }
        Poll::Pending
    }

    /// # Safety
    ///
    /// As for `poll`; it does not wait.
    unsafe fn submit<S: Submit>(
        &mut self,
        cx: &Context<'_>,
        task: &Task,
        submit: &S,
    ) -> Result<c_int, Error> {
        let waiting = self.waiting();
        let driver = Driver::get()?;
        let waker = cx.waker().clone(); // outside of the lock, as whatever is not ours
        let mut of = driver.lock();
        driver.start_thread(&mut of)?;
        // SAFETY: nobody knows the memory; the caller has pinned it.
        let result = unsafe {
            sys::fw_await_init(addr_of_mut!((*waiting).op), of.raw, task.id(), Some(ended));
            addr_of_mut!((*waiting).waker).write(None);
            (*waiting).result = submit.submit(addr_of_mut!((*waiting).op));
            (*waiting).result
        };
        if result == EINPROGRESS {
            // SAFETY: as above; in the lock.
            unsafe { (*waiting).waker = Some(waker) };
            self.driver = Some(driver);
        }
        Ok(result)
    }

    /// Of one that has ended: which permit it got.
    pub(super) fn permit(&self) -> u32 {
        // SAFETY: it was submitted, and nobody else has it.
        unsafe { fw_await_ipc_permit(addr_of!((*self.waiting()).op)) }
    }

    /// Ends the wait, and gives back what it has got.
    pub(super) fn give_up(&mut self) {
        let waiting = self.waiting();
        let Some(driver) = self.driver.take() else { return };
        if !driver.is_here() {
            return; // the parent's (DRV3)
        }
        let of = driver.lock();
        // SAFETY: it was submitted, and nobody has been told of its end; in the lock.
        let waker = unsafe {
            if (*waiting).result == EINPROGRESS {
                sys::fw_await_drop(addr_of_mut!((*waiting).op));
            } else {
                fw_await_ipc_give_back(addr_of_mut!((*waiting).op));
            }
            (*waiting).waker.take()
        };
        drop(of);
        drop(waker);
    }
}
