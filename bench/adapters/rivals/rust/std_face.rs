// SPDX-License-Identifier: MIT
//! std::sync::Mutex.  It can only be unlocked through its guard, which lives beside it while it
//! is held.

use std::cell::UnsafeCell;
use std::mem::{align_of, size_of, MaybeUninit};
use std::sync::{Mutex, MutexGuard, TryLockError};

pub struct Lock {
    mutex: Mutex<()>,
    /// Written and read by the holder of the mutex only.
    guard: UnsafeCell<MaybeUninit<MutexGuard<'static, ()>>>,
}

/// What rust.h reserves.
const _: () = assert!(size_of::<Lock>() <= 32 && align_of::<Lock>() <= 8);

#[no_mangle]
pub unsafe extern "C" fn rust_std_init(lock: *mut Lock) {
    lock.write(Lock {
        mutex: Mutex::new(()),
        guard: UnsafeCell::new(MaybeUninit::uninit()),
    });
}

#[no_mangle]
pub unsafe extern "C" fn rust_std_lock(lock: *const Lock) {
    let lock: &'static Lock = &*lock;
    let guard = lock.mutex.lock().unwrap();
    (*lock.guard.get()).write(guard);
}

/// True where it took the lock.
#[no_mangle]
pub unsafe extern "C" fn rust_std_trylock(lock: *const Lock) -> bool {
    let lock: &'static Lock = &*lock;
    match lock.mutex.try_lock() {
        Ok(guard) => {
            (*lock.guard.get()).write(guard);
            true
        }
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Poisoned(_)) => unreachable!("a panic ends the program"),
    }
}

#[no_mangle]
pub unsafe extern "C" fn rust_std_unlock(lock: *const Lock) {
    drop((*(*lock).guard.get()).assume_init_read());
}

/// Lock and unlock as a Rust program would: the guard stays in registers.
#[no_mangle]
pub unsafe extern "C" fn rust_std_loop(lock: *const Lock, n: u64) {
    for _ in 0..n {
        drop((*lock).mutex.lock().unwrap());
    }
}
