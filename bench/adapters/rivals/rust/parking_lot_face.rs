// SPDX-License-Identifier: MIT
//! parking_lot's mutex, by its raw calls.

use parking_lot::lock_api::{RawMutex as _, RawMutexTimed as _};
use parking_lot::RawMutex;
use std::mem::{align_of, size_of};
use std::time::Duration;

/// What rust.h reserves.
const _: () = assert!(size_of::<RawMutex>() <= 8 && align_of::<RawMutex>() <= 8);

#[no_mangle]
pub unsafe extern "C" fn rust_parking_lot_init(lock: *mut RawMutex) {
    lock.write(RawMutex::INIT);
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_lot_lock(lock: *const RawMutex) {
    (*lock).lock();
}

/// True where it took the lock.
#[no_mangle]
pub unsafe extern "C" fn rust_parking_lot_trylock(lock: *const RawMutex) -> bool {
    (*lock).try_lock()
}

/// True where it took the lock within that many nanoseconds.
#[no_mangle]
pub unsafe extern "C" fn rust_parking_lot_lock_for(lock: *const RawMutex, ns: u64) -> bool {
    (*lock).try_lock_for(Duration::from_nanos(ns))
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_lot_unlock(lock: *const RawMutex) {
    (*lock).unlock();
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_lot_loop(lock: *const RawMutex, n: u64) {
    for _ in 0..n {
        (*lock).lock();
        (*lock).unlock();
    }
}
