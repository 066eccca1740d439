// SPDX-License-Identifier: MIT
//! parking_lot's read-write lock, by its raw calls.

use parking_lot::lock_api::{RawRwLock as _, RawRwLockTimed as _};
use parking_lot::RawRwLock;
use std::mem::{align_of, size_of};
use std::time::Duration;

/// What rust.h reserves.
const _: () = assert!(size_of::<RawRwLock>() <= 8 && align_of::<RawRwLock>() <= 8);

#[no_mangle]
pub unsafe extern "C" fn rust_parking_rw_init(lock: *mut RawRwLock) {
    lock.write(RawRwLock::INIT);
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_rw_rdlock(lock: *const RawRwLock) {
    (*lock).lock_shared();
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_rw_rdunlock(lock: *const RawRwLock) {
    (*lock).unlock_shared();
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_rw_wrlock(lock: *const RawRwLock) {
    (*lock).lock_exclusive();
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_rw_wrunlock(lock: *const RawRwLock) {
    (*lock).unlock_exclusive();
}

/// The tries are true where they took the lock; `ns`: within that many nanoseconds.
#[no_mangle]
pub unsafe extern "C" fn rust_parking_rw_tryrdlock(lock: *const RawRwLock) -> bool {
    (*lock).try_lock_shared()
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_rw_trywrlock(lock: *const RawRwLock) -> bool {
    (*lock).try_lock_exclusive()
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_rw_rdlock_for(lock: *const RawRwLock, ns: u64) -> bool {
    (*lock).try_lock_shared_for(Duration::from_nanos(ns))
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_rw_wrlock_for(lock: *const RawRwLock, ns: u64) -> bool {
    (*lock).try_lock_exclusive_for(Duration::from_nanos(ns))
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_rw_rdloop(lock: *const RawRwLock, n: u64) {
    for _ in 0..n {
        (*lock).lock_shared();
        (*lock).unlock_shared();
    }
}

#[no_mangle]
pub unsafe extern "C" fn rust_parking_rw_wrloop(lock: *const RawRwLock, n: u64) {
    for _ in 0..n {
        (*lock).lock_exclusive();
        (*lock).unlock_exclusive();
    }
}
