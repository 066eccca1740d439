// SPDX-License-Identifier: MIT
//! Mutual exclusion, of all three kinds.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use furwock::lock_api;
use furwock::{FairMutex, Mutex, MutexGuard, RawMutex, ReentrantMutex};

use crate::{eventually, LONG};

const THREADS: u64 = 4;
const ROUNDS: u64 = if cfg!(miri) { 50 } else { 5_000 };

fn count<R: lock_api::RawMutex + Send + Sync>(total: &lock_api::Mutex<R, u64>) {
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| (0..ROUNDS).for_each(|_| *total.lock() += 1));
        }
    });
    assert_eq!(*total.lock(), THREADS * ROUNDS);
}

#[test]
fn excludes() {
    static TOTAL: Mutex<u64> = Mutex::new(0);
    count(&TOTAL);
}

#[test]
fn fair_excludes() {
    static TOTAL: FairMutex<u64> = FairMutex::new(0);
    count(&TOTAL);
}

#[test]
fn fits_lock_api_by_name() {
    count(&lock_api::Mutex::<RawMutex, u64>::new(0));
}

#[test]
fn times_out_while_another_thread_holds_it() {
    let mutex = Mutex::new(1);
    let held = mutex.lock();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert!(mutex.try_lock().is_none());
            assert!(mutex.try_lock_for(Duration::from_millis(1)).is_none());
            assert!(mutex.try_lock_until(std::time::Instant::now()).is_none());
        });
    });
    drop(held);
    assert_eq!(mutex.try_lock_for(Duration::MAX).map(|guard| *guard), Some(1));
    assert_eq!(mutex.try_lock_for(Duration::ZERO).map(|guard| *guard), Some(1));
}

#[test]
fn a_timed_lock_gets_what_is_released() {
    let mutex = Arc::new(Mutex::new(0));
    let held = mutex.lock();
    let waiter = {
        let mutex = mutex.clone();
        std::thread::spawn(move || mutex.try_lock_for(LONG).map(|value| *value))
    };
    drop(held);
    assert_eq!(waiter.join().unwrap(), Some(0));
}

#[test]
#[cfg_attr(miri, ignore = "the stand-in is not fair")]
fn a_fair_release_hands_it_over() {
    let mutex = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let mut held = mutex.lock();
        scope.spawn(|| mutex.lock().push("waiter"));
        // Once the waiter is queued, a bump gives it the mutex first.
        eventually("the waiter was served by a bump", || {
            MutexGuard::bump(&mut held);
            !held.is_empty()
        });
        held.push("owner");
    });
    assert_eq!(*mutex.lock(), ["waiter", "owner"]);
}

#[test]
fn a_panic_releases_it() {
    let mutex = Arc::new(Mutex::new(0));
    let other = mutex.clone();
    let result = std::thread::spawn(move || {
        let _held = other.lock();
        panic!("on purpose: the mutex is released by unwinding");
    })
    .join();
    assert!(result.is_err());
    assert!(mutex.try_lock().is_some());
}

#[test]
#[cfg_attr(miri, ignore = "the stand-in has no owner")]
fn knows_its_owner() {
    let mutex = Mutex::new(());
    // SAFETY: nothing is locked or released through the reference.
    let raw = unsafe { mutex.raw() };
    assert_eq!(raw.owner(), None);
    let held = mutex.lock();
    assert!(raw.is_held_by_me());
    // SAFETY: no arguments, no effects.
    let me = unsafe { libc::gettid() };
    assert_eq!(raw.owner(), u32::try_from(me).ok());
    std::thread::scope(|scope| {
        scope.spawn(|| assert!(!raw.is_held_by_me()));
    });
    assert!(mutex.is_locked());
    drop(held);
    assert!(!raw.is_held_by_me());
    assert!(!mutex.is_locked());
}

#[test]
fn the_owner_may_lock_a_reentrant_one_again() {
    let mutex = ReentrantMutex::new(Cell::new(0));
    let outer = mutex.lock();
    let inner = mutex.lock();
    inner.set(outer.get() + 1);
    std::thread::scope(|scope| {
        scope.spawn(|| assert!(mutex.try_lock().is_none()));
    });
    drop(outer);
    std::thread::scope(|scope| {
        scope.spawn(|| assert!(mutex.try_lock().is_none()));
    });
    drop(inner);
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(mutex.try_lock().map(|cell| cell.get()), Some(1)));
    });
}
