// SPDX-License-Identifier: MIT
//! Mutexes for tasks beside those of tokio and smol (async-lock), in CPU time; and the one in a
//! region, which other processes could share.

use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use criterion::{criterion_group, criterion_main, Criterion};
use furwock::future::LockAsync;
use furwock::ipc;
use tokio::runtime::{Builder, Runtime};
use tokio::task::yield_now;

const MOST_MUTEXES: usize = 100;

/// A mutex around a counter.
trait Mutex: Default + Send + Sync + 'static {
    /// Locks, lets other tasks run, adds one, and unlocks.
    fn add_slowly(&self) -> impl Future<Output = ()> + Send;

    /// The same without a pause.
    fn add(&self) -> impl Future<Output = ()> + Send;
}

impl Mutex for tokio::sync::Mutex<u64> {
    async fn add_slowly(&self) {
        let mut count = self.lock().await;
        yield_now().await;
        *count += 1;
    }

    async fn add(&self) {
        *self.lock().await += 1;
    }
}

impl Mutex for async_lock::Mutex<u64> {
    async fn add_slowly(&self) {
        let mut count = self.lock().await;
        yield_now().await;
        *count += 1;
    }

    async fn add(&self) {
        *self.lock().await += 1;
    }
}

impl Mutex for furwock::Mutex<u64> {
    async fn add_slowly(&self) {
        let mut count = self.lock_async().await;
        yield_now().await;
        *count += 1;
    }

    async fn add(&self) {
        *self.lock_async().await += 1;
    }
}

struct InRegion(ipc::Mutex<u64>);

impl Default for InRegion {
    /// Names are used again: no more than that many exist at a time.
    fn default() -> Self {
        static REGION: OnceLock<ipc::Region> = OnceLock::new();
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let region = REGION.get_or_init(|| {
            let name = format!("/furwock-bench-{}", std::process::id());
            let options = ipc::Region::options().create(true).size(1 << 20);
            // SAFETY: nobody else knows the name.
            let region = unsafe { options.open(&name) }.unwrap();
            ipc::Region::remove(&name).unwrap();
            region
        });
        let name = format!("mutex {}", NEXT.fetch_add(1, Ordering::Relaxed) % MOST_MUTEXES);
        Self(ipc::Mutex::open_or_create(region, &name, 0).unwrap())
    }
}

impl Mutex for InRegion {
    async fn add_slowly(&self) {
        let mut count = self.0.lock_async().await.unwrap();
        yield_now().await;
        *count += 1;
    }

    async fn add(&self) {
        *self.0.lock_async().await.unwrap() += 1;
    }
}

/// What the process has used of the CPUs.
fn cpu_time() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a timespec of ours.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

struct Nobody;

impl Wake for Nobody {
    fn wake(self: Arc<Self>) {}
}

/// A mutex that is free, without a runtime.
fn uncontended<M: Mutex>(c: &mut Criterion, name: &str) {
    let mutex = M::default();
    let waker = Waker::from(Arc::new(Nobody));
    c.benchmark_group("uncontended").bench_function(name, |b| {
        b.iter(|| {
            let state = pin!(black_box(&mutex).add()).poll(&mut Context::from_waker(&waker));
            assert!(matches!(state, Poll::Ready(())));
        });
    });
}

/// A number of tasks of a runtime share a number of mutexes: the time of n locks of each task.
fn tasks<M: Mutex>(runtime: &Runtime, tasks: usize, mutexes: usize, n: u64) -> Duration {
    let mutexes: Arc<Vec<_>> = Arc::new((0..mutexes).map(|_| M::default()).collect());
    let begun = cpu_time();
    runtime.block_on(async {
        let tasks: Vec<_> = (0..tasks)
            .map(|task| {
                let mutexes = Arc::clone(&mutexes);
                tokio::spawn(async move {
                    for i in 0..n as usize {
                        mutexes[(task + i) % mutexes.len()].add_slowly().await;
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    cpu_time() - begun
}

fn contended<M: Mutex>(c: &mut Criterion, name: &str) {
    let one = Builder::new_current_thread().build().unwrap();
    let two = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    for (case, runtime, number, mutexes) in [
        ("one thread", &one, 64, 1),
        ("one thread, 1000 tasks", &one, 1000, MOST_MUTEXES),
        ("two threads", &two, 64, 1),
        ("two threads, 1000 tasks", &two, 1000, MOST_MUTEXES),
    ] {
        c.benchmark_group(case).bench_function(name, |b| {
            b.iter_custom(|n| tasks::<M>(runtime, number, mutexes, n));
        });
    }
}

fn all(c: &mut Criterion) {
    uncontended::<tokio::sync::Mutex<u64>>(c, "tokio");
    uncontended::<async_lock::Mutex<u64>>(c, "async-lock");
    uncontended::<furwock::Mutex<u64>>(c, "furwock");
    uncontended::<InRegion>(c, "furwock, in a region");
    contended::<tokio::sync::Mutex<u64>>(c, "tokio");
    contended::<async_lock::Mutex<u64>>(c, "async-lock");
    contended::<furwock::Mutex<u64>>(c, "furwock");
    contended::<InRegion>(c, "furwock, in a region");
}

criterion_group! {
    name = benches;
    config = benches::criterion();
    targets = all
}
criterion_main!(benches);
