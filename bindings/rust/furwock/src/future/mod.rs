// SPDX-License-Identifier: MIT
//! Waits for locks by futures: a task waits, and its thread goes on.
//!
//! The locks are those that threads use: tasks and threads may share one at the same time.
//!
//! - [`LockAsync::lock_async`] of a [`Mutex`](crate::Mutex),
//!   [`RwLockAsync::read_async`] and [`write_async`](RwLockAsync::write_async) of an
//!   [`RwLock`](crate::RwLock) of any kind,
//! - [`Semaphore::acquire_async`](crate::Semaphore::acquire_async) and
//!   [`permit_async`](crate::Semaphore::permit_async),
//!   [`Event::wait_async`](crate::Event::wait_async),
//!   [`Latch::wait_async`](crate::Latch::wait_async),
//!   [`Condvar::wait_async`](crate::Condvar::wait_async).
//!
//! ```
//! use furwock::future::LockAsync;
//! use furwock::Mutex;
//! # use std::{future::Future, pin::pin, sync::Arc, task::{Context, Poll, Wake}, thread};
//! # struct Unpark(thread::Thread);
//! # impl Wake for Unpark {
//! #     fn wake(self: Arc<Self>) {
//! #         self.0.unpark();
//! #     }
//! # }
//! # fn block_on<F: Future>(future: F) -> F::Output {
//! #     let waker = Arc::new(Unpark(thread::current())).into();
//! #     let mut future = pin!(future);
//! #     loop {
//! #         match future.as_mut().poll(&mut Context::from_waker(&waker)) {
//! #             Poll::Ready(value) => return value,
//! #             Poll::Pending => thread::park(),
//! #         }
//! #     }
//! # }
//!
//! static TOTAL: Mutex<u64> = Mutex::new(0);
//!
//! async fn add(amount: u64) {
//!     let mut total = TOTAL.lock_async().await;
//!     *total += amount;
//! }
//!
//! block_on(add(5)); // in any runtime: tokio, smol, futures
//! *TOTAL.lock() += 10; // a thread, of the same mutex
//! assert_eq!(*TOTAL.lock(), 15);
//! ```
//!
//! # Contract
//!
//! - The futures need no runtime of a certain kind: whoever releases calls the waker of the task.
//!   A time-out is the runtime's: `tokio::time::timeout(limit, MUTEX.lock_async())`.
//! - **Order.**  Tasks get a lock in the order in which they were first polled, and a release hands
//!   it over to the next one: no other task or thread comes between.  Where threads wait too, tasks
//!   and threads take turns once the first of them has waited for half a millisecond.
//! - **Dropping a future** at any point, also in `select!`, cancels the wait: it keeps no lock, no
//!   unit and no notification, and loses none. Its place in the order is lost.
//! - **Guards** are [`Send`]: they may be held across `.await` and dropped in another thread. The
//!   holder is the guard, not the thread; a thread that asks for the owner is told of none.
//! - A future that is woken holds the lock from that moment on, before it is polled.  So what is
//!   not polled must be dropped: a task that keeps a started `lock_async` in a variable, or in a
//!   `select!` of which another arm runs, while it waits for something else, keeps all others
//!   waiting ("futurelock").  The same holds for every fair lock: tokio's also.  In this example
//!   the first future has been granted the lock, is not polled, and so never releases it:
//!
//!   ```no_run
//!   # use furwock::{future::LockAsync, Mutex};
//!   # async fn sleep() {}
//!   # async fn hangs(mutex: &Mutex<()>) {
//!   let mut first = std::pin::pin!(mutex.lock_async());
//!   // ... `first` is polled once, the mutex is held by another task, then:
//!   mutex.lock_async().await; // waits for `first`, which waits for being polled
//!   # first.as_mut().await;
//!   # }
//!   ```
//!
//!   A `select!` that owns its futures (without `&mut`) drops the others before it runs an arm.
//! - In the child of a fork the futures that the parent had are not to be polled.

mod condvar;
mod mutex;
pub(crate) mod operation;
mod rwlock;
mod units;

pub use condvar::ConditionWait;
pub use mutex::{LockAsync, LockFuture, MutexGuard};
pub use rwlock::{
    RawRwLockAsync, ReadFuture, RwLockAsync, RwLockReadGuard, RwLockWriteGuard, WriteFuture,
};
pub use units::{AcquireFuture, EventWait, LatchWait, PermitFuture};
