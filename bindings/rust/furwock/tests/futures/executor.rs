// SPDX-License-Identifier: MIT
//! What the tests poll futures by: one by one, or many on some threads.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::{pin, Pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// Long enough for any machine: only a hang reaches it.
pub const LONG: Duration = Duration::from_secs(120);

/// Waits until the condition holds.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let limit = Instant::now() + LONG;
    while !condition() {
        assert!(Instant::now() < limit, "it never came about: {what}");
        thread::yield_now();
    }
}

/// A waker that counts its calls.
#[derive(Default)]
pub struct Calls(AtomicUsize);

impl Calls {
    pub fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    pub fn count(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }

    /// Waits for the first call.
    pub fn wait(&self) {
        eventually("the waker is called", || self.count() > 0);
    }
}

impl Wake for Calls {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// Polls once, with that waker.
pub fn poll<F: Future>(future: Pin<&mut F>, calls: &Arc<Calls>) -> Poll<F::Output> {
    let waker = Waker::from(Arc::clone(calls));
    future.poll(&mut Context::from_waker(&waker))
}

/// Polls once, with a waker that nobody looks at.
pub fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    poll(future, &Calls::new())
}

/// Runs one future to its end.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let calls = Calls::new();
    let mut future = pin!(future);
    loop {
        let before = calls.count();
        if let Poll::Ready(value) = poll(future.as_mut(), &calls) {
            return value;
        }
        eventually("the future is woken", || calls.count() != before);
    }
}

/// Ends once when another task has run.
pub async fn yield_now() {
    let mut has_yielded = false;
    std::future::poll_fn(|cx| {
        if has_yielded {
            return Poll::Ready(());
        }
        has_yielded = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

#[derive(Default)]
struct Queue {
    ready: VecDeque<Arc<Task>>,
    unfinished: usize,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

struct Task {
    /// None at its end.
    future: Mutex<Option<Boxed>>,
    shared: Arc<Shared>,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let shared = Arc::clone(&self.shared);
        shared.queue.lock().unwrap().ready.push_back(self);
        shared.changed.notify_one();
    }
}

/// Runs all futures to their ends, on that many threads.
pub fn run(threads: usize, futures: Vec<Boxed>) {
    let shared = Arc::new(Shared::default());
    {
        let mut queue = shared.queue.lock().unwrap();
        queue.unfinished = futures.len();
        for future in futures {
            let future = Mutex::new(Some(future));
            queue.ready.push_back(Arc::new(Task { future, shared: Arc::clone(&shared) }));
        }
    }
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(&shared));
        }
    });
}

fn work(shared: &Shared) {
    let mut queue = shared.queue.lock().unwrap();
    while queue.unfinished > 0 {
        let Some(task) = queue.ready.pop_front() else {
            let (next, timed_out) = shared.changed.wait_timeout(queue, LONG).unwrap();
            assert!(!timed_out.timed_out(), "no task has become ready");
            queue = next;
            continue;
        };
        drop(queue);
        let is_finished = poll_task(&task);
        queue = shared.queue.lock().unwrap();
        if is_finished {
            queue.unfinished -= 1;
            shared.changed.notify_all();
        }
    }
}

/// Has it just come to its end?
fn poll_task(task: &Arc<Task>) -> bool {
    let waker = Waker::from(Arc::clone(task));
    let mut slot = task.future.lock().unwrap();
    let Some(future) = slot.as_mut() else { return false };
    let is_finished = future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
    if is_finished {
        *slot = None;
    }
    is_finished
}
