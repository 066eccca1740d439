// SPDX-License-Identifier: MIT
//! Locks between processes beside those of raw_sync and process-sync, which wrap pthread's and are
//! lost with a dead owner, and beside pthread's robust mutex.

use std::cell::UnsafeCell;
use std::hint::black_box;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use criterion::{criterion_group, criterion_main, Criterion};
use furwock::ipc::{CopyMutex, LockOptions, Mutex, Region, RwLock};
use raw_sync::locks::{LockImpl, LockInit};

/// A counter under a lock.
trait Counter: Sync {
    fn add(&self);
    fn get(&self) -> u64;
}

struct Furwock(Mutex<u64>);

impl Counter for Furwock {
    fn add(&self) {
        *self.0.lock().unwrap() += 1;
    }

    fn get(&self) -> u64 {
        *self.0.lock().unwrap()
    }
}

struct Copying(CopyMutex<u64>);

impl Counter for Copying {
    fn add(&self) {
        let mut guard = self.0.lock().unwrap();
        let value = guard.read().unwrap();
        guard.write(value + 1);
    }

    fn get(&self) -> u64 {
        self.0.lock().unwrap().read().unwrap()
    }
}

impl Counter for RwLock<u64> {
    fn add(&self) {
        *self.write().unwrap() += 1;
    }

    fn get(&self) -> u64 {
        *self.read().unwrap()
    }
}

/// A lock of raw_sync, in memory of its own.
struct RawSync {
    lock: Box<dyn LockImpl>,
    _memory: Box<[u64; 64]>,
}

// SAFETY: a lock of pthread, and a counter that is used under it.
unsafe impl Sync for RawSync {}

impl RawSync {
    fn new<L: LockInit>() -> Self {
        let mut memory = Box::new([0_u64; 64]);
        let counter = (&mut memory[63] as *mut u64).cast();
        assert!(L::size_of(None) <= 63 * 8);
        // SAFETY: the memory is large enough, aligned, and stays.
        let (lock, _) = unsafe { L::new(memory.as_mut_ptr().cast(), counter) }.unwrap();
        Self { lock, _memory: memory }
    }
}

impl Counter for RawSync {
    fn add(&self) {
        let guard = self.lock.lock().unwrap();
        // SAFETY: the counter, with its lock.
        unsafe { *(*guard).cast::<u64>() += 1 };
    }

    fn get(&self) -> u64 {
        let guard = self.lock.rlock().unwrap();
        // SAFETY: the same.
        unsafe { *(*guard).cast::<u64>() }
    }
}

struct ProcessSync {
    lock: UnsafeCell<process_sync::SharedMutex>,
    value: UnsafeCell<u64>,
}

// SAFETY: `lock` takes the mutex mutably for no reason: it calls pthread_mutex_lock.
unsafe impl Sync for ProcessSync {}

impl ProcessSync {
    fn with<R>(&self, f: impl FnOnce(&mut u64) -> R) -> R {
        // SAFETY: as above; the value is used with the lock.
        unsafe {
            (*self.lock.get()).lock().unwrap();
            let result = f(&mut *self.value.get());
            (*self.lock.get()).unlock().unwrap();
            result
        }
    }
}

impl Counter for ProcessSync {
    fn add(&self) {
        self.with(|value| *value += 1);
    }

    fn get(&self) -> u64 {
        self.with(|value| *value)
    }
}

/// pthread's mutex, shared between processes and robust.
struct Robust {
    mutex: Box<UnsafeCell<libc::pthread_mutex_t>>,
    value: UnsafeCell<u64>,
}

// SAFETY: a mutex, and a value that is used with it.
unsafe impl Sync for Robust {}

impl Robust {
    fn new() -> Self {
        let mutex = Box::new(UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER));
        // SAFETY: a mutex that nobody uses yet, where it stays.
        unsafe {
            let mut kind = std::mem::zeroed();
            assert_eq!(libc::pthread_mutexattr_init(&mut kind), 0);
            libc::pthread_mutexattr_setpshared(&mut kind, libc::PTHREAD_PROCESS_SHARED);
            libc::pthread_mutexattr_setrobust(&mut kind, libc::PTHREAD_MUTEX_ROBUST);
            assert_eq!(libc::pthread_mutex_init(mutex.get(), &kind), 0);
        }
        Self { mutex, value: UnsafeCell::new(0) }
    }

    fn with<R>(&self, f: impl FnOnce(&mut u64) -> R) -> R {
        // SAFETY: the value is used with the lock.
        unsafe {
            assert_eq!(libc::pthread_mutex_lock(self.mutex.get()), 0);
            let result = f(&mut *self.value.get());
            assert_eq!(libc::pthread_mutex_unlock(self.mutex.get()), 0);
            result
        }
    }
}

impl Counter for Robust {
    fn add(&self) {
        self.with(|value| *value += 1);
    }

    fn get(&self) -> u64 {
        self.with(|value| *value)
    }
}

const THREADS: usize = 2;

/// The time that two threads take which begin together and add `n` times each.
fn together(counter: &dyn Counter, n: u64) -> Duration {
    let start = Barrier::new(THREADS + 1);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                start.wait();
                (0..n).for_each(|_| counter.add());
            });
        }
        start.wait();
        Instant::now()
    })
    .elapsed()
}

fn uncontended<C: Counter>(c: &mut Criterion, name: &str, counter: &C) {
    let mut group = c.benchmark_group("ipc uncontended");
    group.bench_function(name, |b| b.iter(|| black_box(counter).add()));
}

fn contended<C: Counter>(c: &mut Criterion, name: &str, counter: &C) {
    let mut group = c.benchmark_group("ipc contended");
    group.bench_function(name, |b| b.iter_custom(|n| together(counter, n)));
}

fn read<C: Counter>(c: &mut Criterion, name: &str, counter: &C) {
    let mut group = c.benchmark_group("ipc read");
    group.bench_function(name, |b| b.iter(|| black_box(counter).get()));
}

fn all(c: &mut Criterion) {
    let name = format!("/furwock-bench-{}", std::process::id());
    // SAFETY: nobody else knows the name.
    let region = unsafe { Region::options().create(true).open(&name) }.unwrap();
    Region::remove(&name).unwrap();
    let furwock = Furwock(Mutex::open_or_create(&region, "mutex", 0).unwrap());
    let journal = LockOptions::new().journal(256);
    let journaled = Mutex::open_or_create_with(&region, "journaled", &journal, 0).unwrap();
    let copying = Copying(CopyMutex::open_or_create(&region, "copied", 0).unwrap());
    let rwlock = RwLock::open_or_create(&region, "rwlock", 0).unwrap();
    let robust = Robust::new();
    let process_sync = ProcessSync {
        lock: UnsafeCell::new(process_sync::SharedMutex::new().unwrap()),
        value: UnsafeCell::new(0),
    };
    let raw_sync = RawSync::new::<raw_sync::locks::Mutex>();

    uncontended(c, "pthread robust", &robust);
    uncontended(c, "furwock", &furwock);
    uncontended(c, "furwock CopyMutex", &copying);
    uncontended(c, "furwock with journal", &Furwock(journaled));
    uncontended(c, "raw_sync (not robust)", &raw_sync);
    uncontended(c, "process-sync (not robust)", &process_sync);
    contended(c, "pthread robust", &robust);
    contended(c, "furwock", &furwock);
    contended(c, "raw_sync (not robust)", &raw_sync);
    contended(c, "process-sync (not robust)", &process_sync);
    read(c, "pthread robust", &robust);
    read(c, "furwock RwLock", &rwlock);
    read(c, "raw_sync RwLock (not robust)", &RawSync::new::<raw_sync::locks::RwLock>());
}

criterion_group! {
    name = benches;
    config = benches::criterion();
    targets = all
}
criterion_main!(benches);
