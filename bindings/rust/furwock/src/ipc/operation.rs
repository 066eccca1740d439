// SPDX-License-Identifier: MIT
//! One wait of a future for an object of a region.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::marker::PhantomPinned;
use std::mem::MaybeUninit;
use std::ptr;
use std::task::{Context, Poll, Waker};

use furwock_sys as sys;
use sys::errno::EINPROGRESS;

use super::driver::{wake, Driver};
use super::error::{errno, Error};
use crate::future::operation::{free, Task};

/// Submits an operation: what the `fw_await_ipc_...` of an object does.
pub(super) trait Submit {
    /// 0, `EINPROGRESS`, or an error.
    ///
    /// # Safety
    ///
    /// The operation is initialised, does not move until it has ended, and is not waiting.
    unsafe fn submit(&self, op: *mut sys::fw_await) -> c_int;
}

/// An operation that waits at most once at a time.
///
/// OP1  A box of a waker that was given to C is C's: it is used up by a call of `wake`, or comes
///      back as the old one when C is given another.
pub(super) struct Operation {
    op: UnsafeCell<MaybeUninit<sys::fw_await>>,
    /// Where it waits, or has ended and nobody has been told.
    driver: Option<&'static Driver>,
    /// The box that C was given last; null: none.
    shared: *mut c_void,
    /// What is in it.
    waker: Option<Waker>,
    has_waited: bool,
    _pinned: PhantomPinned,
}

// SAFETY: C's part is used in the driver's lock, or granted by any thread; wakers are Send and
// Sync.
unsafe impl Send for Operation {}
// SAFETY: no method takes a shared reference, but one that reads what has ended.
unsafe impl Sync for Operation {}

/// Two clones, made outside of locks, since they are not ours (DRV2).
struct Wakers {
    given: Box<Waker>,
    kept: Waker,
}

impl Wakers {
    fn of(cx: &Context<'_>) -> Self {
        Self { given: Box::new(cx.waker().clone()), kept: cx.waker().clone() }
    }
}

impl Operation {
    pub(super) const fn new() -> Self {
        Self {
            op: UnsafeCell::new(MaybeUninit::uninit()),
            driver: None,
            shared: ptr::null_mut(),
            waker: None,
            has_waited: false,
            _pinned: PhantomPinned,
        }
    }

    fn for_c(&self) -> *mut sys::fw_await {
        self.op.get().cast()
    }

    /// Has it ever been submitted, and did not end at once?
    pub(super) fn has_waited(&self) -> bool {
        self.has_waited
    }

    /// Submits it, if it is not waiting; else asks whether it has ended.  The result of C, or why
    /// it could not even be submitted.  Panics only (in a clone of a waker) while it waits.
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
        let result = match self.driver {
            // SAFETY: the caller's promise.
            None => unsafe { self.submit(cx, task, submit) },
            // The parent's: what it waits for, and may have been granted, is the parent's (DRV3).
            Some(driver) if !driver.is_here() => {
                Err(Error::new(errno::EINVAL, "wait by a future that was polled before the fork"))
            }
            Some(driver) => Ok(self.ask(cx, driver)),
        };
        match result {
            Ok(EINPROGRESS) => Poll::Pending,
            ended => {
                self.driver = None;
                self.waker = None;
                Poll::Ready(ended)
            }
        }
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
        let driver = Driver::get()?;
        let mut locked = driver.lock();
        locked.start_thread()?;
        // SAFETY: nobody knows the memory; the caller has pinned it.
        let result = unsafe {
            let (op, of) = (self.for_c(), locked.raw());
            sys::fw_await_init_loop_waker(op, of, task.id(), None, ptr::null_mut());
            submit.submit(op)
        };
        drop(locked);
        if result != EINPROGRESS {
            return Ok(result);
        }
        self.driver = Some(driver);
        self.has_waited = true;
        self.shared = ptr::null_mut();
        Ok(self.exchange(Wakers::of(cx), driver))
    }

    fn ask(&mut self, cx: &Context<'_>, driver: &'static Driver) -> c_int {
        match &self.waker {
            Some(waker) if waker.will_wake(cx.waker()) => {
                let locked = driver.lock();
                // SAFETY: it was submitted; in the lock.
                let result = unsafe { sys::fw_await_poll(self.for_c()) };
                drop(locked);
                result
            }
            _ => self.exchange(Wakers::of(cx), driver),
        }
    }

    /// Gives C another waker, unless the operation has ended.
    fn exchange(&mut self, new: Wakers, driver: &'static Driver) -> c_int {
        let former = self.waker.replace(new.kept);
        let new = Box::into_raw(new.given).cast();
        let mut old = ptr::null_mut();
        let locked = driver.lock();
        // SAFETY: it was submitted; what C is given is C's from now on (OP1); in the lock.
        let result = unsafe { sys::fw_await_set_waker(self.for_c(), Some(wake), new, &mut old) };
        drop(locked);
        let unused = if result == EINPROGRESS {
            self.shared = new;
            old
        } else {
            new
        };
        drop(former);
        // SAFETY: C does not have it, or no longer.
        unsafe { free(unused) };
        result
    }

    /// Of one that has ended: which permit it got.
    pub(super) fn permit(&self) -> u32 {
        // SAFETY: it was submitted, and nobody else has it.
        unsafe { sys::ipc::fw_await_ipc_permit(self.for_c()) }
    }
}

/// Ends the wait, and gives back what it has got.  A future has it before its task, which must end
/// after it.
impl Drop for Operation {
    fn drop(&mut self) {
        let Some(driver) = self.driver.take() else { return };
        if !driver.is_here() {
            return; // the parent's (DRV3)
        }
        let locked = driver.lock();
        // SAFETY: it was submitted, and nobody has been told of its end; in the lock.
        let is_unused = unsafe { sys::fw_await_drop(self.for_c()) };
        drop(locked);
        if is_unused {
            // SAFETY: C has not called it, and no longer has it.
            unsafe { free(self.shared) };
        }
    }
}
