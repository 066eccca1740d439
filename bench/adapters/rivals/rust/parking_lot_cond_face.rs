// SPDX-License-Identifier: MIT
//! parking_lot's mutex and condition variable.  A wait wants the guard of the mutex, which is
//! made anew for it: the caller holds the mutex without one.

use parking_lot::{Condvar, Mutex};
use std::mem::{align_of, forget, size_of};
use std::time::Duration;

pub struct Pair {
    mutex: Mutex<()>,
    cond: Condvar,
}

/// What rust.h reserves.
const _: () = assert!(size_of::<Pair>() <= 32 && align_of::<Pair>() <= 8);

#[no_mangle]
pub unsafe extern "C" fn rust_parking_cond_init(pair: *mut Pair) {
    pair.write(Pair {
        mutex: Mutex::new(()),
        cond: Condvar::new(),
    });
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_cond_lock(pair: *const Pair) {
    forget((*pair).mutex.lock());
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_cond_unlock(pair: *const Pair) {
    (*pair).mutex.force_unlock();
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_cond_wait(pair: *const Pair) {
    let mut guard = (*pair).mutex.make_guard_unchecked();
    (*pair).cond.wait(&mut guard);
    forget(guard);
}

/// True where that many nanoseconds have passed.
#[no_mangle]
pub unsafe extern "C" fn rust_parking_cond_wait_for(pair: *const Pair, ns: u64) -> bool {
    let mut guard = (*pair).mutex.make_guard_unchecked();
    let result = (*pair).cond.wait_for(&mut guard, Duration::from_nanos(ns));
    forget(guard);
    result.timed_out()
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_cond_signal(pair: *const Pair) {
    (*pair).cond.notify_one();
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_cond_broadcast(pair: *const Pair) {
    (*pair).cond.notify_all();
}
