// SPDX-License-Identifier: MIT
//! Everything at once, with time-outs that race with wakes.  FURWOCK_STORM=N: N times as long.

use std::collections::VecDeque;
use std::time::Duration;

use furwock::{Barrier, Condvar, Event, Mutex, RwLock, Semaphore};

use crate::LONG;

fn rounds(at_least: usize) -> usize {
    let factor = std::env::var("FURWOCK_STORM").ok().and_then(|n| n.parse::<usize>().ok());
    at_least / if cfg!(miri) { 50 } else { 1 } * factor.unwrap_or(1)
}

/// A bounded queue: no item is lost or seen twice, whatever times out.
#[test]
fn a_queue_loses_nothing() {
    const BOUND: usize = 2;
    let items = rounds(3_000);
    let queue = Mutex::new(VecDeque::new());
    let (not_empty, not_full) = (Condvar::new(), Condvar::new());
    let total = std::thread::scope(|scope| {
        for producer in 0..2 {
            let (queue, not_empty, not_full) = (&queue, &not_empty, &not_full);
            scope.spawn(move || {
                for item in (0..items).filter(|item| item % 2 == producer) {
                    let mut guard = queue.lock();
                    while guard.len() == BOUND {
                        let short = Duration::from_micros((item % 64) as u64);
                        not_full.wait_for(&mut guard, short);
                    }
                    guard.push_back(item);
                    not_empty.notify_one();
                }
            });
        }
        let consume = || {
            let mut sum = 0;
            for n in 0..items / 2 {
                let mut guard = queue.lock();
                while guard.is_empty() {
                    if n % 3 == 0 {
                        not_empty.wait_for(&mut guard, Duration::from_micros(n as u64 % 64));
                    } else {
                        assert!(!not_empty.wait_for(&mut guard, LONG).timed_out(), "a lost wake");
                    }
                }
                sum += guard.pop_front().unwrap();
                not_full.notify_all();
            }
            sum
        };
        let (one, other) = (scope.spawn(consume), scope.spawn(consume));
        one.join().unwrap() + other.join().unwrap()
    });
    assert_eq!(total, (0..items).sum());
}

#[test]
fn time_outs_lose_no_units_and_no_locks() {
    let n = rounds(2_000);
    let (units, lock, event) = (Semaphore::with_max(1, 1), RwLock::new(0), Event::automatic());
    let start = Barrier::new(4);
    let taken: usize = std::thread::scope(|scope| {
        let work = |thread: usize| {
            let (units, lock, event, start) = (&units, &lock, &event, &start);
            scope.spawn(move || {
                let mut taken = 0;
                start.wait();
                for round in 0..n {
                    let short = Duration::from_micros(((round * 7 + thread) % 50) as u64);
                    if units.acquire_for(short) {
                        units.release();
                    }
                    if let Some(mut value) = lock.try_write_for(short) {
                        *value += 1;
                        taken += 1;
                    }
                    drop(lock.try_read_for(short));
                    event.set();
                    event.wait_for(short);
                }
                taken
            })
        };
        let threads: Vec<_> = (0..4).map(work).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(*lock.read(), taken);
    assert_eq!(units.available(), 1);
}
