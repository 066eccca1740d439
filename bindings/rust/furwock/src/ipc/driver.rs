// SPDX-License-Identifier: MIT
//! One loop of the C library for all futures of the process, and the thread that runs it.
//!
//! DRV1  The loop, and what [`Waiting`] has beside its operation, is used in the lock of the
//!       driver only: "a loop belongs to one thread at a time".
//! DRV2  Wakers are called by the driver's thread, outside of that lock.
//! DRV3  A forked child has another driver, and does not look at its parent's, whose lock a thread
//!       may have that the child has not.

use std::cell::RefCell;
use std::ffi::{c_int, c_short, c_ulong};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::task::Waker;
use std::thread;

use furwock_sys as sys;

use super::error::{errno, Error};
use crate::{Mutex, MutexGuard};

/// So many operations are told of their ends before others get the driver's lock.
const AT_A_TIME: u32 = 64;

const DURING: &str = "start what futures wait by";

/// What a future has in the driver.
#[repr(C)]
pub(super) struct Waiting {
    /// First, so that `ended` finds the rest.
    pub(super) op: sys::fw_await,
    /// `EINPROGRESS` until it has ended.
    pub(super) result: c_int,
    pub(super) waker: Option<Waker>,
}

/// The loop, in the driver's lock.
pub(super) struct Loop {
    pub(super) raw: *mut sys::fw_loop,
    has_thread: bool,
}

// SAFETY: any thread may use it that has the lock (DRV1).
unsafe impl Send for Loop {}

pub(super) struct Driver {
    of: Mutex<Loop>,
    /// Readable while the loop has something to do.
    descriptor: c_int,
    process: u32,
}

static CURRENT: AtomicPtr<Driver> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    /// Of those that have ended in this call of `fw_loop_run`.
    static WOKEN: RefCell<Vec<Waker>> = const { RefCell::new(Vec::new()) };
}

impl Driver {
    /// That of this process.
    pub(super) fn get() -> Result<&'static Self, Error> {
        let current = CURRENT.load(Ordering::Acquire);
        // SAFETY: drivers are never freed.
        match unsafe { current.as_ref() } {
            Some(driver) if driver.is_here() => Ok(driver),
            _ => Self::begin(current),
        }
    }

    #[cold]
    fn begin(former: *mut Self) -> Result<&'static Self, Error> {
        let mut raw = ptr::null_mut();
        // Helper threads: an io_uring would have to be entered by one thread only.
        let options = sys::fw_loop_options { engine: sys::FW_LOOP_THREAD, reserved: 0 };
        // SAFETY: a place for the result.
        match unsafe { sys::fw_loop_create(&mut raw, &options) } {
            0 => {}
            error => return Err(Error::new(error, DURING)),
        }
        let new = Box::into_raw(Box::new(Self {
            // SAFETY: a loop that nobody else has.
            descriptor: unsafe { sys::fw_loop_fd(raw) },
            of: Mutex::new(Loop { raw, has_thread: false }),
            process: process::id(),
        }));
        match CURRENT.compare_exchange(former, new, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: never freed from now on.
            Ok(_) => Ok(unsafe { &*new }),
            Err(other) => {
                // SAFETY: nobody has seen the new one; the other is this process's, since only
                // this process makes drivers in its memory.
                unsafe {
                    drop(Box::from_raw(new));
                    sys::fw_loop_destroy(raw);
                    Ok(&*other)
                }
            }
        }
    }

    /// Is it of this process, not of its parent's?
    pub(super) fn is_here(&self) -> bool {
        self.process == process::id()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Loop> {
        self.of.lock()
    }

    /// Before an operation may wait.
    pub(super) fn start_thread(&'static self, of: &mut Loop) -> Result<(), Error> {
        if !of.has_thread {
            let thread = thread::Builder::new().name(String::from("furwock-futures"));
            match thread.spawn(|| self.run()) {
                Ok(_) => of.has_thread = true,
                Err(error) => {
                    let number = error.raw_os_error().unwrap_or(errno::ENOMEM);
                    return Err(Error::new(number, DURING));
                }
            }
        }
        Ok(())
    }

    /// What the thread does.
    fn run(&self) {
        loop {
            wait_for(self.descriptor);
            let of = self.lock();
            // SAFETY: the loop, in its lock.
            unsafe { sys::fw_loop_run(of.raw, AT_A_TIME) };
            drop(of);
            for waker in WOKEN.take() {
                // A waker that panics is its executor's concern; the others must be called.
                let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
            }
        }
    }
}

/// Called by the loop when an operation has ended: by the driver's thread, in the driver's lock.
pub(super) unsafe extern "C" fn ended(op: *mut sys::fw_await, error: c_int) {
    let waiting = op.cast::<Waiting>();
    // SAFETY: it is the first field, of what lives until it is taken out of the loop; in the lock.
    let waker = unsafe {
        (*waiting).result = error;
        (*waiting).waker.take()
    };
    WOKEN.with_borrow_mut(|woken| woken.extend(waker));
}

#[repr(C)]
struct PollFd {
    fd: c_int,
    events: c_short,
    revents: c_short,
}

extern "C" {
    fn poll(fds: *mut PollFd, n: c_ulong, timeout: c_int) -> c_int;
}

const POLLIN: c_short = 1;

/// Until the descriptor is readable, or a signal handler has run.
fn wait_for(descriptor: c_int) {
    let mut watched = PollFd { fd: descriptor, events: POLLIN, revents: 0 };
    // SAFETY: one descriptor, and no limit.
    unsafe { poll(&mut watched, 1, -1) };
}
