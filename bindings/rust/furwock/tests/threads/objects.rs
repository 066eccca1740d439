// SPDX-License-Identifier: MIT
//! Semaphores, events, barriers, latches, and waits for any of them.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use furwock::{wait_any, wait_any_for, wait_any_until, Barrier, Event, Latch, Overflow, Semaphore};

use crate::LONG;

const SHORT: Duration = Duration::from_millis(1);

#[test]
fn a_semaphore_limits() {
    const UNITS: usize = 2;
    let (semaphore, inside) = (Semaphore::new(UNITS as u32), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..2_000 {
                    let _permit = semaphore.permit();
                    assert!(inside.fetch_add(1, Ordering::Relaxed) < UNITS);
                    inside.fetch_sub(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(semaphore.available(), UNITS as u32);
}

#[test]
fn a_semaphore_counts() {
    let semaphore = Semaphore::with_max(0, 3);
    assert!(!semaphore.try_acquire() && !semaphore.acquire_for(SHORT));
    assert!(!semaphore.acquire_until(Instant::now()));
    assert!(semaphore.try_permit().is_none() && semaphore.permit_for(SHORT).is_none());
    assert_eq!(semaphore.try_release(4), Err(Overflow));
    assert_eq!(semaphore.available(), 0);
    assert_eq!(semaphore.try_release(3), Ok(()));
    assert!(catch_unwind(|| semaphore.release()).is_err(), "three are the most");
    semaphore.permit().forget();
    assert_eq!(semaphore.available(), 2);
    let permit = semaphore.permit_for(LONG).expect("there are two");
    std::thread::scope(|scope| {
        scope.spawn(move || drop(permit));
    });
    assert_eq!(semaphore.available(), 2);
    assert!(catch_unwind(|| Semaphore::with_max(2, 1)).is_err());
    assert!(catch_unwind(|| Semaphore::new(u32::MAX)).is_err());
}

#[test]
fn a_release_wakes_a_waiter() {
    let (ping, pong) = (Semaphore::new(0), Semaphore::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..500 {
                ping.acquire();
                pong.release();
            }
        });
        for _ in 0..500 {
            ping.release();
            assert!(pong.acquire_for(LONG));
        }
    });
}

#[test]
fn a_manual_event_releases_all_until_it_is_reset() {
    let event = Event::manual();
    assert!(!event.is_set() && !event.try_wait() && !event.wait_for(SHORT));
    assert!(!event.wait_until(Instant::now()));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert!(event.wait_for(LONG)));
        }
        event.set();
    });
    assert!(event.is_set() && event.try_wait() && event.is_set());
    event.reset();
    assert!(!event.is_set());
}

#[test]
fn an_automatic_event_releases_one_for_each_set() {
    let (event, released) = (Event::automatic(), AtomicUsize::new(0));
    let seen = Event::automatic();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                event.wait();
                released.fetch_add(1, Ordering::Relaxed);
                seen.set();
            });
        }
        for n in 1..=3 {
            event.set();
            assert!(seen.wait_for(LONG));
            assert_eq!(released.load(Ordering::Relaxed), n);
        }
    });
    assert!(!event.is_set());
}

#[test]
fn no_thread_passes_a_barrier_before_all_have_arrived() {
    const THREADS: usize = 3;
    const PHASES: usize = 200;
    let barrier = Barrier::new(THREADS as u32);
    let (arrived, leaders) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for phase in 1..=PHASES {
                    arrived.fetch_add(1, Ordering::Relaxed);
                    let result = barrier.wait();
                    assert!(arrived.load(Ordering::Relaxed) >= phase * THREADS);
                    leaders.fetch_add(result.is_leader().into(), Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(leaders.into_inner(), PHASES);
}

#[test]
fn a_barrier_is_arrived_at_and_left() {
    let barrier = Barrier::new(2);
    let arrival = barrier.arrive();
    std::thread::scope(|scope| {
        scope.spawn(|| barrier.arrive_and_drop());
        arrival.wait();
    });
    assert!(barrier.wait().is_leader(), "alone, now");
    assert!(catch_unwind(|| Barrier::new(0)).is_err());
    assert!(catch_unwind(|| Barrier::new(Barrier::MAX + 1)).is_err());
}

#[test]
fn a_latch_opens_once() {
    let latch = Latch::new(3);
    assert!(!latch.is_open() && !latch.wait_for(SHORT) && !latch.wait_until(Instant::now()));
    latch.count_down(1);
    std::thread::scope(|scope| {
        scope.spawn(|| latch.arrive_and_wait(1));
        scope.spawn(|| latch.wait());
        latch.arrive_and_wait(1);
    });
    assert!(latch.is_open() && latch.wait_for(Duration::ZERO));
    assert!(Latch::new(0).is_open());
    assert!(catch_unwind(|| Latch::new(u32::MAX)).is_err());
}

#[test]
fn any_takes_from_one_only() {
    let (semaphore, event, latch) = (Semaphore::new(1), Event::automatic(), Latch::new(1));
    assert_eq!(wait_any(&[&latch, &event, &semaphore]), 2);
    assert_eq!(semaphore.available(), 0);
    assert_eq!(wait_any_for(&[&latch, &event, &semaphore], SHORT), None);
    assert_eq!(wait_any_until(&[&latch], Instant::now()), None);
    event.set();
    semaphore.release();
    assert_eq!(wait_any(&[&latch, &event, &semaphore]), 1);
    assert!(!event.is_set() && semaphore.available() == 1);
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| wait_any_for(&[&event, &latch], LONG));
        latch.count_down(1);
        assert_eq!(waiter.join().unwrap(), Some(1));
    });
    assert!(catch_unwind(|| wait_any(&[])).is_err());
    let many = [&latch as &dyn furwock::AnySource; 129];
    assert!(catch_unwind(AssertUnwindSafe(|| wait_any(&many))).is_err());
}
