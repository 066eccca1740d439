// SPDX-License-Identifier: MIT
//! What wakers may do to futures of a region.

use std::future::Future;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, RawWaker, RawWakerVTable, Wake, Waker};

use furwock::ipc::{Condvar, Mutex};

use crate::executor::{block_on, eventually, poll, poll_once, Calls};
use crate::support::region;
use crate::tasks::counter;

/// Polls and drops futures of the region wherever it can.
struct Busybody(&'static Mutex<u64>);

impl Busybody {
    fn meddle(&self) {
        let _ = poll_once(pin!(self.0.lock_async()));
    }
}

impl Wake for Busybody {
    fn wake(self: Arc<Self>) {
        self.meddle();
    }
}

impl Drop for Busybody {
    fn drop(&mut self) {
        self.meddle();
    }
}

#[test]
fn wakers_may_use_futures() {
    let (_name, region) = region();
    let mutex: &'static _ = Box::leak(Box::new(counter(&region)));
    let busybody = || Waker::from(Arc::new(Busybody(mutex)));
    let held = mutex.lock().unwrap();
    let mut future = Box::pin(mutex.lock_async());
    for _ in 0..3 {
        let waker = busybody(); // another one each time: the former is dropped
        let mut cx = Context::from_waker(&waker);
        assert!(Future::poll(future.as_mut(), &mut cx).is_pending());
    }
    drop(held);
    drop(block_on(future).unwrap());
}

#[test]
fn a_waker_that_panics_hurts_nobody_else() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("on purpose");
        }
    }
    let (_name, region) = region();
    let mutex = counter(&region);
    let held = mutex.lock().unwrap();
    let mut first = Box::pin(mutex.lock_async());
    let waker = Waker::from(Arc::new(Panics));
    let mut cx = Context::from_waker(&waker);
    assert!(Future::poll(first.as_mut(), &mut cx).is_pending());
    let calls = Calls::new();
    let mut second = Box::pin(mutex.lock_async());
    assert!(poll(second.as_mut(), &calls).is_pending());
    drop(held);
    // The first is granted it in any case; its drop hands it on.
    eventually("it is granted", || poll_once(first.as_mut()).is_ready() || calls.count() > 0);
    drop(first);
    calls.wait();
    assert!(poll(second.as_mut(), &calls).is_ready());
}

#[test]
fn a_waker_whose_clone_panics_leaves_no_lock_behind() {
    static CALLS: RawWakerVTable =
        RawWakerVTable::new(|_| panic!("on purpose"), |_| (), |_| (), |_| ());
    let (_name, region) = region();
    let mutex = counter(&region);
    let changed = Condvar::open_or_create(&region, "changed").unwrap();
    let guard = block_on(mutex.lock_async()).unwrap();
    let mut wait = Box::pin(changed.wait_async(guard));
    // SAFETY: no function of the table uses the pointer.
    let waker = unsafe { Waker::from_raw(RawWaker::new(std::ptr::null(), &CALLS)) };
    let result = catch_unwind(AssertUnwindSafe(|| {
        wait.as_mut().poll(&mut Context::from_waker(&waker)).is_pending()
    }));
    assert!(result.is_err());
    drop(wait);
    drop(mutex.try_lock().unwrap());
}
