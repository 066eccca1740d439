// SPDX-License-Identifier: MIT
//! Locks for threads beside those of std and parking_lot.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use criterion::{criterion_group, criterion_main, Criterion};

/// A mutex around a counter.
trait Mutex: Default + Sync {
    fn add(&self);
}

impl Mutex for std::sync::Mutex<u64> {
    fn add(&self) {
        *self.lock().unwrap() += 1;
    }
}

impl Mutex for parking_lot::Mutex<u64> {
    fn add(&self) {
        *self.lock() += 1;
    }
}

impl Mutex for furwock::Mutex<u64> {
    fn add(&self) {
        *self.lock() += 1;
    }
}

/// A read-write lock around a number.
trait RwLock: Default {
    fn get(&self) -> u64;
}

impl RwLock for std::sync::RwLock<u64> {
    fn get(&self) -> u64 {
        *self.read().unwrap()
    }
}

impl RwLock for parking_lot::RwLock<u64> {
    fn get(&self) -> u64 {
        *self.read()
    }
}

impl RwLock for furwock::RwLock<u64> {
    fn get(&self) -> u64 {
        *self.read()
    }
}

impl RwLock for furwock::BrLock<u64> {
    fn get(&self) -> u64 {
        *self.read()
    }
}

/// A turn that two threads pass to each other under a mutex.
trait Turn: Default + Sync {
    /// Waits until the turn is `mine`, and passes it on.
    fn take(&self, mine: bool);
}

/// A mutex and a condition variable.
#[derive(Default)]
struct Pair<M, C>(M, C);

impl Turn for Pair<std::sync::Mutex<bool>, std::sync::Condvar> {
    fn take(&self, mine: bool) {
        let guard = self.0.lock().unwrap();
        *self.1.wait_while(guard, |turn| *turn != mine).unwrap() = !mine;
        self.1.notify_one();
    }
}

impl Turn for Pair<parking_lot::Mutex<bool>, parking_lot::Condvar> {
    fn take(&self, mine: bool) {
        let mut guard = self.0.lock();
        self.1.wait_while(&mut guard, |turn| *turn != mine);
        *guard = !mine;
        self.1.notify_one();
    }
}

impl Turn for Pair<furwock::Mutex<bool>, furwock::Condvar> {
    fn take(&self, mine: bool) {
        let mut guard = self.0.lock();
        self.1.wait_while(&mut guard, |turn| *turn != mine);
        *guard = !mine;
        self.1.notify_one();
    }
}

/// The time that threads take which begin together and run `work` each.
fn together(threads: usize, work: impl Fn(usize) + Sync) -> Duration {
    let start = Barrier::new(threads + 1);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (start, work) = (&start, &work);
            scope.spawn(move || {
                start.wait();
                work(thread);
            });
        }
        start.wait();
        Instant::now()
    })
    .elapsed()
}

fn uncontended<M: Mutex>(c: &mut Criterion, name: &str) {
    let mutex = M::default();
    c.benchmark_group("uncontended").bench_function(name, |b| b.iter(|| black_box(&mutex).add()));
}

fn read<R: RwLock>(c: &mut Criterion, name: &str) {
    let lock = R::default();
    c.benchmark_group("read").bench_function(name, |b| b.iter(|| black_box(&lock).get()));
}

fn contended<M: Mutex>(c: &mut Criterion, name: &str) {
    const THREADS: usize = 4;
    let mutex = M::default();
    c.benchmark_group("contended").bench_function(name, |b| {
        b.iter_custom(|n| together(THREADS, |_| (0..n).for_each(|_| mutex.add())))
    });
}

fn ping_pong<T: Turn>(c: &mut Criterion, name: &str) {
    let turn = T::default();
    c.benchmark_group("ping-pong").bench_function(name, |b| {
        b.iter_custom(|n| together(2, |thread| (0..n).for_each(|_| turn.take(thread == 1))))
    });
}

fn all(c: &mut Criterion) {
    uncontended::<std::sync::Mutex<u64>>(c, "std");
    uncontended::<parking_lot::Mutex<u64>>(c, "parking_lot");
    uncontended::<furwock::Mutex<u64>>(c, "furwock");
    read::<std::sync::RwLock<u64>>(c, "std");
    read::<parking_lot::RwLock<u64>>(c, "parking_lot");
    read::<furwock::RwLock<u64>>(c, "furwock");
    read::<furwock::BrLock<u64>>(c, "furwock BrLock");
    contended::<std::sync::Mutex<u64>>(c, "std");
    contended::<parking_lot::Mutex<u64>>(c, "parking_lot");
    contended::<furwock::Mutex<u64>>(c, "furwock");
    ping_pong::<Pair<std::sync::Mutex<bool>, std::sync::Condvar>>(c, "std");
    ping_pong::<Pair<parking_lot::Mutex<bool>, parking_lot::Condvar>>(c, "parking_lot");
    ping_pong::<Pair<furwock::Mutex<bool>, furwock::Condvar>>(c, "furwock");
}

criterion_group! {
    name = benches;
    config = benches::criterion();
    targets = all
}
criterion_main!(benches);
