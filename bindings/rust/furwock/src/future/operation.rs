// SPDX-License-Identifier: MIT
//! One asynchronous wait: an `fw_await` that stays where it is, and the waker that C has of it.

use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use core::marker::PhantomPinned;
use core::mem::MaybeUninit;
use core::ptr;
use core::task::{Context, Poll, Waker};
use std::boxed::Box;

use crate::sys;
use crate::sys::errno;

/// An identity under which a lock is held: neither a thread's nor another task's.
#[derive(Debug)]
pub(crate) struct Task(sys::fw_task);

impl Task {
    /// No identity, for objects that have no owner.
    pub(crate) const NONE: Self = Self(0);

    /// A new one.
    ///
    /// # Panics
    ///
    /// If there are four million.
    pub(crate) fn begin() -> Self {
        let mut task = 0;
        // SAFETY: a variable of ours.
        let error = unsafe { sys::fw_task_begin(&mut task) };
        assert_eq!(error, 0, "too many tasks of this process hold or wait for locks");
        Self(task)
    }

    pub(crate) fn id(&self) -> sys::fw_task {
        self.0
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if self.0 != 0 {
            // SAFETY: begun by us, and what it held has been released.
            unsafe { sys::fw_task_end(self.0) }
        }
    }
}

/// Submits an operation: what the `fw_await_...` of an object does.
pub(crate) trait Submit {
    /// May C wake the task more than once for one operation?
    const WAKES_TWICE: bool = false;

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
pub(crate) struct Operation {
    op: UnsafeCell<MaybeUninit<sys::fw_await>>,
    /// It was submitted, and nobody has been told of its end.
    is_waiting: bool,
    /// The box that C was given last; null: none.
    shared: *mut c_void,
    /// What is in it.
    waker: Option<Waker>,
    _pinned: PhantomPinned,
}

// SAFETY: an fw_await may be granted by any thread, and is otherwise used by the one that has the
// future; wakers are Send and Sync.
unsafe impl Send for Operation {}
// SAFETY: no method takes a shared reference.
unsafe impl Sync for Operation {}

/// Called by C, at most once for each box, by the thread that grants: wakes the task.
unsafe extern "C" fn wake(shared: *mut c_void) {
    // SAFETY: a box that `exchange` has made, which is ours now (OP1).
    unsafe { Box::from_raw(shared.cast::<Waker>()) }.wake();
}

/// # Safety
///
/// Null, or a box of a waker that `exchange` has made and that nobody else has.
pub(crate) unsafe fn free(shared: *mut c_void) {
    if !shared.is_null() {
        // SAFETY: as above.
        drop(unsafe { Box::from_raw(shared.cast::<Waker>()) });
    }
}

impl Operation {
    pub(crate) const fn new() -> Self {
        Self {
            op: UnsafeCell::new(MaybeUninit::uninit()),
            is_waiting: false,
            shared: ptr::null_mut(),
            waker: None,
            _pinned: PhantomPinned,
        }
    }

    fn for_c(&self) -> *mut sys::fw_await {
        self.op.get().cast()
    }

    /// Submits it, if it is not waiting; else asks whether it is granted.  The result of C.
    ///
    /// # Safety
    ///
    /// The operation is pinned, and the object of `submit` lives until it has ended; always the
    /// same `submit`.
    pub(crate) unsafe fn poll<S: Submit>(
        &mut self,
        cx: &Context<'_>,
        task: &Task,
        submit: &S,
    ) -> Poll<c_int> {
        if !self.is_waiting {
            // SAFETY: the operation does not wait; the caller has pinned it.
            let result = unsafe {
                sys::fw_await_init_waker(self.for_c(), task.id(), None, ptr::null_mut());
                submit.submit(self.for_c())
            };
            if result != errno::EINPROGRESS {
                return Poll::Ready(result);
            }
            self.is_waiting = true;
            self.shared = ptr::null_mut();
        }
        match &self.waker {
            Some(waker) if waker.will_wake(cx.waker()) && !S::WAKES_TWICE => {
                // SAFETY: it was submitted.
                let result = unsafe { sys::fw_await_poll(self.for_c()) };
                self.ended(result)
            }
            _ => self.exchange(cx.waker()),
        }
    }

    /// Gives C another waker, unless the operation has been granted.
    fn exchange(&mut self, waker: &Waker) -> Poll<c_int> {
        self.waker = Some(waker.clone());
        let new = Box::into_raw(Box::new(waker.clone())).cast();
        let mut old = ptr::null_mut();
        // SAFETY: it was submitted; what C is given is C's from now on (OP1).
        let result = unsafe { sys::fw_await_set_waker(self.for_c(), Some(wake), new, &mut old) };
        let unused = if result == errno::EINPROGRESS {
            self.shared = new;
            old
        } else {
            new
        };
        // SAFETY: C does not have it, or no longer.
        unsafe { free(unused) };
        self.ended(result)
    }

    /// Takes note of C's answer.
    fn ended(&mut self, result: c_int) -> Poll<c_int> {
        if result == errno::EINPROGRESS {
            return Poll::Pending;
        }
        self.is_waiting = false;
        self.waker = None;
        Poll::Ready(result)
    }

    /// Ends the wait, and gives back what it had been granted.  Not if C may wake it twice.
    pub(crate) fn give_up(&mut self) {
        if self.is_waiting {
            self.is_waiting = false;
            // SAFETY: it was submitted, and nobody has been told of its end.
            let is_unused = unsafe { sys::fw_await_drop(self.for_c()) };
            if is_unused {
                // SAFETY: C has not called it, and no longer has it.
                unsafe { free(self.shared) };
            }
        }
    }

    /// Ends the wait.  True: it had been granted, and what it was granted is the caller's.
    pub(crate) fn cancel(&mut self) -> bool {
        if !self.is_waiting {
            return false;
        }
        let mut old = ptr::null_mut();
        // SAFETY: it was submitted.
        let result =
            unsafe { sys::fw_await_set_waker(self.for_c(), None, ptr::null_mut(), &mut old) };
        if self.ended(result).is_ready() {
            return true;
        }
        self.is_waiting = false;
        // SAFETY: C no longer has it; the operation is waiting.
        unsafe {
            free(old);
            !sys::fw_await_cancel(self.for_c())
        }
    }
}
