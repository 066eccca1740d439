// SPDX-License-Identifier: MIT

//! manytasks, the peer in Rust: `tokio::sync::Mutex`, and a task of tokio's for each.  As run.hpp
//! has it.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

const SAMPLES: usize = 100_000;

#[repr(align(64))]
struct Count(u64);

struct Run {
    tasks: usize,
    locks: usize,
    threads: usize,
    passes: usize,
    seed: u64,
    each: usize,
    mutexes: Vec<Mutex<Count>>,
    waits: Vec<AtomicU64>,
    arrived: AtomicUsize,
    ended: AtomicUsize,
}

fn number(text: &str) -> usize {
    match text.parse() {
        Ok(n) if (1..=100_000_000).contains(&n) => n,
        _ => {
            eprintln!("{text} is no number from 1 to 100000000");
            std::process::exit(2);
        }
    }
}

impl Run {
    fn new() -> Self {
        let words: Vec<String> = std::env::args().collect();
        if words.len() < 6 {
            eprintln!("usage: manytasks TASKS LOCKS THREADS PASSES SEED");
            std::process::exit(2);
        }
        let n: Vec<usize> = words[1..6].iter().map(|word| number(word)).collect();
        let each = (SAMPLES / n[0]).min(n[3]).max(1);
        Run {
            tasks: n[0],
            locks: n[1],
            threads: n[2],
            passes: n[3],
            seed: n[4] as u64,
            each,
            mutexes: (0..n[1]).map(|_| Mutex::new(Count(0))).collect(),
            waits: (0..n[0] * each).map(|_| AtomicU64::new(0)).collect(),
            arrived: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
        }
    }

    /// Where the time of that wait goes.  The first waits for the start, and is not kept.
    fn wait_of(&self, task: usize, pass: usize) -> Option<&AtomicU64> {
        let every = self.passes / self.each;
        let kept = pass != 0 && pass % every == every - 1 && pass / every < self.each;
        kept.then(|| &self.waits[task * self.each + pass / every])
    }

    async fn body(self: Arc<Self>, task: usize) {
        let mut choose = Chooser::new(self.seed, task);
        self.arrived.fetch_add(1, Ordering::Release);
        for pass in 0..self.passes {
            let i = if pass == 0 { task % self.locks } else { choose.next(self.locks) };
            let wait = self.wait_of(task, pass).map(|slot| (slot, Instant::now()));
            let mut held = self.mutexes[i].lock().await;
            if let Some((slot, asked)) = wait {
                slot.store(asked.elapsed().as_nanos() as u64, Ordering::Relaxed);
            }
            held.0 += 1;
            tokio::task::yield_now().await;
            drop(held);
        }
        self.ended.fetch_add(1, Ordering::Release);
    }

    fn wait_for(&self, n: &AtomicUsize) {
        while n.load(Ordering::Acquire) != self.tasks {
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

struct Chooser(u64);

impl Chooser {
    fn new(seed: u64, task: usize) -> Self {
        let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut new = Chooser(mixed.wrapping_add(task as u64 + 1));
        new.next(1);
        new.next(1);
        new
    }

    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as usize % below
    }
}

fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("/proc/self/statm");
    let pages: u64 = text.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a number");
    // SAFETY: sysconf has no preconditions.
    pages * unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64
}

fn cpu_ns() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: t is a timespec that may be written.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

/// The calling thread stays on the i-th CPU that it may use, in turns, if that is wanted: pin.h.
fn pin_if_wanted(i: usize) {
    if std::env::var_os("FURWOCK_BENCH_PIN").is_none() {
        return;
    }
    // SAFETY: both sets are plain data, of the size that is given.
    unsafe {
        let size = std::mem::size_of::<libc::cpu_set_t>();
        let mut usable: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size, &mut usable) != 0 {
            return;
        }
        let mut all = (0..libc::CPU_SETSIZE as usize).filter(|cpu| libc::CPU_ISSET(*cpu, &usable));
        if let Some(cpu) = all.nth(i % libc::CPU_COUNT(&usable) as usize) {
            let mut one: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(cpu, &mut one);
            libc::sched_setaffinity(0, size, &one);
        }
    }
}

fn main() {
    let run = Arc::new(Run::new());
    let next = AtomicUsize::new(0);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(run.threads)
        .on_thread_start(move || pin_if_wanted(next.fetch_add(1, Ordering::Relaxed)))
        .build()
        .expect("a runtime");
    let held: Vec<_> =
        run.mutexes.iter().map(|mutex| mutex.try_lock().expect("a free mutex")).collect();
    let before = resident();
    for task in 0..run.tasks {
        runtime.spawn(Arc::clone(&run).body(task));
    }
    run.wait_for(&run.arrived);
    std::thread::sleep(Duration::from_millis(20));
    let bytes = resident() - before;
    let (cpu, begun) = (cpu_ns(), Instant::now());
    drop(held);
    run.wait_for(&run.ended);
    let (seconds, cpu) = (begun.elapsed().as_secs_f64(), cpu_ns() - cpu);
    report(&run, seconds, cpu, bytes);
}

fn report(run: &Run, seconds: f64, cpu: u64, bytes: u64) {
    let sum: u64 =
        run.mutexes.iter().map(|mutex| mutex.try_lock().expect("nobody holds it").0).sum();
    if sum != (run.tasks * run.passes) as u64 {
        eprintln!("{sum} passes were counted: there is no exclusion");
        std::process::exit(1);
    }
    let mut waits: Vec<u64> = run.waits.iter().map(|wait| wait.load(Ordering::Relaxed)).collect();
    waits.retain(|wait| *wait != 0);
    waits.sort_unstable();
    let at = |part: f64| match waits.len() {
        0 => 0,
        n => waits[(part * (n - 1) as f64) as usize],
    };
    println!(
        "{{\"locks\": {sum}, \"seconds\": {seconds:.9}, \"cpu_seconds\": {:.9}, \"bytes\": {:.1}, \
         \"operation_bytes\": 0, \"wait_ns\": [{}, {}, {}]}}",
        cpu as f64 / 1e9,
        bytes as f64 / run.tasks as f64,
        at(0.5),
        at(0.99),
        at(1.0)
    );
}
