// SPDX-License-Identifier: MIT
//! One loop of the C library for all futures of the process, and the thread that runs it: it hears
//! of what other processes release.  What the process itself releases needs neither.
//!
//! DRV1  The loop and its operations are used in the lock of the driver only: "a loop belongs to
//!       one thread at a time".
//! DRV2  Code that is not ours (wakers: their calls, clones and destructors) runs outside of that
//!       lock.
//! DRV3  A forked child has another driver, and does not look at its parent's, whose lock a thread
//!       may have that the child has not.

use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_short, c_ulong, c_void};
use std::mem::{forget, MaybeUninit};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::task::Waker;
use std::thread;
use std::time::Duration;

use furwock_sys as sys;

use super::error::{errno, Error};
use crate::{Mutex, MutexGuard};

/// The number of operations at a time, before others get the driver's lock.
const AT_A_TIME: u32 = 64;

const DURING: &str = "start what futures wait by";

pub(super) struct Driver {
    raw: *mut sys::fw_loop,
    /// Readable while the loop has something to do.
    descriptor: c_int,
    /// Has its thread been started?
    of: Mutex<bool>,
}

// SAFETY: any thread may use the loop that has the lock (DRV1).
unsafe impl Send for Driver {}
// SAFETY: the same.
unsafe impl Sync for Driver {}

/// Null: none yet, or forked since.
static CURRENT: AtomicPtr<Driver> = AtomicPtr::new(ptr::null_mut());
/// The parent's, in a child.
static INHERITED: AtomicPtr<Driver> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    /// Has this thread the driver's lock?
    static HAS_LOCK: Cell<bool> = const { Cell::new(false) };
    /// Whom it has to wake after that.
    static LATER: RefCell<Vec<Waker>> = const { RefCell::new(Vec::new()) };
}

/// In the child of a fork, which has one thread.
extern "C" fn forked() {
    let parents = CURRENT.swap(ptr::null_mut(), Ordering::Relaxed);
    if !parents.is_null() {
        INHERITED.store(parents, Ordering::Relaxed);
    }
}

impl Driver {
    /// That of this process.
    pub(super) fn get() -> Result<&'static Self, Error> {
        let current = CURRENT.load(Ordering::Acquire);
        // SAFETY: drivers are never freed once they were current.
        match unsafe { current.as_ref() } {
            Some(driver) => Ok(driver),
            None => Self::begin(),
        }
    }

    #[cold]
    fn begin() -> Result<&'static Self, Error> {
        static HAS_HANDLER: AtomicBool = AtomicBool::new(false);
        if !HAS_HANDLER.swap(true, Ordering::Relaxed) {
            // SAFETY: a function that stays.
            let error = unsafe { pthread_atfork(None, None, Some(forked)) };
            if error != 0 {
                HAS_HANDLER.store(false, Ordering::Relaxed);
                return Err(Error::new(error, DURING));
            }
        }
        let inherited = INHERITED.swap(ptr::null_mut(), Ordering::Relaxed);
        if !inherited.is_null() {
            // SAFETY: its parent's, which the child never uses; its descriptors are closed.
            unsafe { sys::fw_loop_destroy((*inherited).raw) };
        }
        let mut raw = ptr::null_mut();
        // Helper threads: an io_uring would have to be entered by one thread only.
        let options = sys::fw_loop_options { engine: sys::FW_LOOP_THREAD, reserved: 0 };
        // SAFETY: a place for the result.
        match unsafe { sys::fw_loop_create(&mut raw, &options) } {
            0 => {}
            error => return Err(Error::new(error, DURING)),
        }
        // SAFETY: a loop that nobody else has.
        let descriptor = unsafe { sys::fw_loop_fd(raw) };
        let new = Box::into_raw(Box::new(Self { raw, descriptor, of: Mutex::new(false) }));
        let none = ptr::null_mut();
        match CURRENT.compare_exchange(none, new, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: never freed from now on.
            Ok(_) => Ok(unsafe { &*new }),
            // SAFETY: nobody has seen the new one; the other is never freed.
            Err(other) => unsafe {
                drop(Box::from_raw(new));
                sys::fw_loop_destroy(raw);
                Ok(&*other)
            },
        }
    }

    /// Is it of this process, not of its parent's?
    pub(super) fn is_here(&self) -> bool {
        ptr::eq(self, CURRENT.load(Ordering::Relaxed))
    }

    pub(super) fn lock(&self) -> Locked<'_> {
        let has_thread = self.of.lock();
        HAS_LOCK.set(true);
        Locked { driver: self, has_thread: Some(has_thread) }
    }

    /// What the thread does.
    fn run(&self) {
        loop {
            wait_for(self.descriptor);
            let locked = self.lock();
            // SAFETY: the loop, in its lock.
            unsafe { sys::fw_loop_run(self.raw, AT_A_TIME) };
            drop(locked);
        }
    }
}

/// The driver's lock; when it is dropped, those are woken who were granted something meanwhile.
pub(super) struct Locked<'a> {
    driver: &'a Driver,
    has_thread: Option<MutexGuard<'a, bool>>,
}

impl Locked<'_> {
    pub(super) fn raw(&self) -> *mut sys::fw_loop {
        self.driver.raw
    }

    /// Before an operation may wait.
    pub(super) fn start_thread(&mut self) -> Result<(), Error> {
        let has_thread = self.has_thread.as_mut().expect("locked");
        if !**has_thread {
            let driver: *const Driver = self.driver;
            // SAFETY: drivers are never freed.
            let driver: &'static Driver = unsafe { &*driver };
            let thread = thread::Builder::new().name(String::from("furwock-futures"));
            match without_signals(|| thread.spawn(|| driver.run())) {
                Ok(_) => **has_thread = true,
                Err(error) => {
                    let number = error.raw_os_error().unwrap_or(errno::ENOMEM);
                    return Err(Error::new(number, DURING));
                }
            }
        }
        Ok(())
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        HAS_LOCK.set(false);
        self.has_thread = None;
        for waker in LATER.try_with(RefCell::take).unwrap_or_default() {
            // A waker that panics is its executor's concern; the others must be called.
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
                forget(payload); // whose destructor may panic as well
            }
        }
    }
}

/// Called by C, at most once for each box, by whoever grants: in the driver's lock, or in a
/// release, outside of all locks.
pub(super) unsafe extern "C" fn wake(shared: *mut c_void) {
    // SAFETY: a box that an operation has made, which is ours now.
    let waker = unsafe { Box::from_raw(shared.cast::<Waker>()) };
    if HAS_LOCK.get() {
        let mut waker = Some(*waker);
        let _ = LATER.try_with(|later| later.borrow_mut().extend(waker.take()));
        if let Some(waker) = waker {
            waker.wake(); // a thread that ends
        }
    } else {
        waker.wake();
    }
}

#[repr(C)]
struct PollFd {
    fd: c_int,
    events: c_short,
    revents: c_short,
}

/// As large as any C library's, and larger than the kernel's.
type SignalSet = [u64; 16];

extern "C" {
    fn poll(fds: *mut PollFd, n: c_ulong, timeout: c_int) -> c_int;
    fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
    fn sigfillset(set: *mut SignalSet) -> c_int;
    fn pthread_sigmask(how: c_int, set: *const SignalSet, old: *mut SignalSet) -> c_int;
}

const POLLIN: c_short = 1;
const SIG_SETMASK: c_int = 2;

/// Until the descriptor is readable, or a signal handler has run.
fn wait_for(descriptor: c_int) {
    const PAUSE: Duration = Duration::from_millis(40);
    let mut watched = PollFd { fd: descriptor, events: POLLIN, revents: 0 };
    // SAFETY: one descriptor, and no limit.
    let n = unsafe { poll(&mut watched, 1, -1) };
    if n != 1 || watched.revents & POLLIN == 0 {
        thread::sleep(PAUSE); // no memory; or somebody has closed it: look from time to time
    }
}

/// A thread that is spawned meanwhile runs no signal handler.
fn without_signals<R>(call: impl FnOnce() -> R) -> R {
    let mut all = MaybeUninit::<SignalSet>::zeroed();
    let mut former = MaybeUninit::<SignalSet>::zeroed();
    // SAFETY: places for two sets, of which the first is filled.
    unsafe {
        sigfillset(all.as_mut_ptr());
        pthread_sigmask(SIG_SETMASK, all.as_ptr(), former.as_mut_ptr());
    }
    let result = call();
    // SAFETY: what was the mask before.
    unsafe { pthread_sigmask(SIG_SETMASK, former.as_ptr(), ptr::null_mut()) };
    result
}
