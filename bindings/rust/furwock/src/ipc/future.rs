// SPDX-License-Identifier: MIT
//! The locks of a region, for tasks.

use std::ffi::c_int;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::ptr;
use std::task::{Context, Poll};

use furwock_sys as sys;
use zerocopy::Immutable;

use super::condvar::Condvar;
use super::copy::CopyMutex;
use super::error::{check, Error};
use super::guard::{Exclusive, Guard};
use super::holder::HeldByTask;
use super::lock_error::LockError;
use super::mutex::Mutex;
use super::operation::{Operation, Submit};
use super::permits::{Permit, Permits};
use super::read_guard::{ReadByTask, ReadError, ReadGuard, ReadResult};
use super::rwlock::RwLock;
use super::semaphore::Semaphore;
use super::shm::ShmSafe;
use crate::future::operation::Task;

/// The guard of a [`Mutex`] that a task holds.
pub type AsyncMutexGuard<'a, T> = Guard<'a, Mutex<T>, HeldByTask>;
/// The guard of a [`CopyMutex`] that a task holds.
pub type AsyncCopyGuard<'a, T> = Guard<'a, CopyMutex<T>, HeldByTask>;
/// The guard of a task that writes.
pub type AsyncRwLockWriteGuard<'a, T> = Guard<'a, RwLock<T>, HeldByTask>;
/// The guard of a task that reads.
pub type AsyncRwLockReadGuard<'a, T> = ReadGuard<'a, T, ReadByTask>;
/// A permit that a task has borrowed.
pub type AsyncPermit<'a> = Permit<'a, HeldByTask>;

/// What a future that locks exclusively ends with.
pub type AsyncLockResult<'a, L> =
    Result<Guard<'a, L, HeldByTask>, LockError<Guard<'a, L, HeldByTask>>>;

const LOCK: &str = "lock";
const READ: &str = "lock for reading";
const ACQUIRE: &str = "take a unit of the semaphore";
const WAIT: &str = "wait for the condition";

/// An identity, which a future begins when it is first polled.
fn task(slot: &mut Option<Task>) -> &Task {
    slot.get_or_insert_with(Task::begin)
}

fn taken(slot: &mut Option<Task>) -> HeldByTask {
    HeldByTask(slot.take().expect("a future is not polled after its end"))
}

macro_rules! opaque {
    ($([$($generics:tt)*] $name:ty;)*) => {$(
        impl $($generics)* fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )*};
}

/* --- Exclusively ----------------------------------------------------------------------------- */

impl<L: Exclusive> Submit for &L {
    unsafe fn submit(&self, op: *mut sys::fw_await) -> c_int {
        // SAFETY: the caller's promise.
        unsafe { Exclusive::submit(*self, op) }
    }
}

/// What [`Mutex::lock_async`], [`CopyMutex::lock_async`] and [`RwLock::write_async`] return.
#[must_use = "futures do nothing unless they are polled"]
pub struct LockFuture<'a, L: Exclusive> {
    operation: Operation,
    task: Option<Task>,
    lock: &'a L,
}

impl<'a, L: Exclusive> LockFuture<'a, L> {
    fn new(lock: &'a L) -> Self {
        Self { operation: Operation::new(), task: None, lock }
    }
}

impl<'a, L: Exclusive> Future for LockFuture<'a, L> {
    type Output = AsyncLockResult<'a, L>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: nothing is moved out of it but the task.
        let this = unsafe { self.get_unchecked_mut() };
        // SAFETY: the operation is pinned, since the future is; its drop ends it.
        let result = unsafe { this.operation.poll(cx, task(&mut this.task), &this.lock) };
        result.map(|result| match result {
            Ok(number) => Guard::after_for(this.lock, taken(&mut this.task), number, LOCK),
            Err(error) => Err(LockError::Other(error)),
        })
    }
}

impl<T: ShmSafe> Mutex<T> {
    /// A future that takes the mutex.  It does nothing before it is polled; dropping it cancels.
    /// What it ends with is said at [`lock`](Self::lock), but that the guard is a task's.
    ///
    /// # Panics
    /// The future does if four million guards and futures are in use.
    pub fn lock_async(&self) -> LockFuture<'_, Self> {
        LockFuture::new(self)
    }
}

impl<T: ShmSafe> CopyMutex<T> {
    /// A future that takes the mutex, as [`Mutex::lock_async`].
    ///
    /// # Panics
    /// As there.
    pub fn lock_async(&self) -> LockFuture<'_, Self> {
        LockFuture::new(self)
    }
}

impl<T: ShmSafe + Sync + Immutable> RwLock<T> {
    /// A future that takes the lock for writing, as [`Mutex::lock_async`].
    ///
    /// # Panics
    /// As there.
    pub fn write_async(&self) -> LockFuture<'_, Self> {
        LockFuture::new(self)
    }

    /// A future that takes the lock for reading.  It does nothing before it is polled; dropping it
    /// cancels.  To other processes all tasks of a process are one reader.
    ///
    /// # Panics
    /// As [`Mutex::lock_async`].
    pub fn read_async(&self) -> ReadFuture<'_, T> {
        ReadFuture { operation: Operation::new(), task: None, lock: self }
    }
}

/* --- For reading ----------------------------------------------------------------------------- */

struct Reader(*mut sys::ipc::fw_ipc_rwlock);

impl Submit for Reader {
    unsafe fn submit(&self, op: *mut sys::fw_await) -> c_int {
        // SAFETY: the caller's operation; the lock outlives it; null is no deadline.
        unsafe { sys::ipc::fw_await_ipc_rdlock(op, self.0, ptr::null()) }
    }
}

/// What [`RwLock::read_async`] returns.
#[must_use = "futures do nothing unless they are polled"]
pub struct ReadFuture<'a, T: ShmSafe + Sync + Immutable> {
    operation: Operation,
    task: Option<Task>,
    lock: &'a RwLock<T>,
}

impl<'a, T: ShmSafe + Sync + Immutable> Future for ReadFuture<'a, T> {
    type Output = ReadResult<'a, T, ReadByTask>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: nothing is moved out of it but the task.
        let this = unsafe { self.get_unchecked_mut() };
        let reader = Reader(this.lock.raw());
        // SAFETY: the operation is pinned, since the future is; its drop ends it.
        let result = unsafe { this.operation.poll(cx, task(&mut this.task), &reader) };
        result.map(|result| match result {
            Ok(number) => ReadGuard::after_for(this.lock, taken(&mut this.task), number, READ),
            Err(error) => Err(ReadError::Other(error)),
        })
    }
}

/* --- Units and permits ----------------------------------------------------------------------- */

struct Unit(*mut sys::ipc::fw_ipc_sem);

impl Submit for Unit {
    unsafe fn submit(&self, op: *mut sys::fw_await) -> c_int {
        // SAFETY: the caller's operation; the semaphore outlives it; null is no deadline.
        unsafe { sys::ipc::fw_await_ipc_sem(op, self.0, ptr::null()) }
    }
}

/// What [`Semaphore::acquire_async`] returns.
#[must_use = "futures do nothing unless they are polled"]
pub struct AcquireFuture<'a> {
    operation: Operation,
    semaphore: &'a Semaphore,
}

impl Future for AcquireFuture<'_> {
    type Output = Result<(), Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: nothing is moved out of it.
        let this = unsafe { self.get_unchecked_mut() };
        let unit = Unit(this.semaphore.raw());
        // SAFETY: the operation is pinned, since the future is; its drop ends it.
        let result = unsafe { this.operation.poll(cx, &Task::NONE, &unit) };
        result.map(|result| result.and_then(|number| check(number, ACQUIRE)))
    }
}

impl Semaphore {
    /// A future that takes a unit.  It does nothing before it is polled; dropping it cancels, and
    /// loses no unit.  It ends as [`acquire`](Self::acquire) does.
    pub fn acquire_async(&self) -> AcquireFuture<'_> {
        AcquireFuture { operation: Operation::new(), semaphore: self }
    }
}

struct Borrower(*mut sys::ipc::fw_ipc_permits);

impl Submit for Borrower {
    unsafe fn submit(&self, op: *mut sys::fw_await) -> c_int {
        // SAFETY: the caller's operation; the permits outlive it; null is no deadline.
        unsafe { sys::ipc::fw_await_ipc_permits(op, self.0, ptr::null()) }
    }
}

/// What [`Permits::acquire_async`] returns.
#[must_use = "futures do nothing unless they are polled"]
pub struct PermitFuture<'a> {
    operation: Operation,
    task: Option<Task>,
    permits: &'a Permits,
}

impl<'a> Future for PermitFuture<'a> {
    type Output = Result<AsyncPermit<'a>, Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: nothing is moved out of it but the task.
        let this = unsafe { self.get_unchecked_mut() };
        let borrower = Borrower(this.permits.raw());
        // SAFETY: the operation is pinned, since the future is; its drop ends it.
        let result = unsafe { this.operation.poll(cx, task(&mut this.task), &borrower) };
        let operation = &this.operation;
        result.map(|result| {
            let holder = taken(&mut this.task);
            Permit::after(this.permits, holder, result?, || operation.permit())
        })
    }
}

impl Permits {
    /// A future that borrows a permit.  It does nothing before it is polled; dropping it cancels.
    /// It ends as [`acquire`](Self::acquire) does, but that the permit is a task's.
    ///
    /// # Panics
    /// As [`Mutex::lock_async`].
    pub fn acquire_async(&self) -> PermitFuture<'_> {
        PermitFuture { operation: Operation::new(), task: None, permits: self }
    }
}

/* --- Conditions ------------------------------------------------------------------------------ */

struct Wait {
    cond: *mut sys::ipc::fw_ipc_cond,
    mutex: *mut sys::ipc::fw_ipc_mutex,
}

impl Submit for Wait {
    unsafe fn submit(&self, op: *mut sys::fw_await) -> c_int {
        // SAFETY: the caller's operation, whose task holds the mutex; both objects outlive it.
        unsafe { sys::ipc::fw_await_ipc_cond(op, self.cond, self.mutex, ptr::null()) }
    }
}

/// What [`Condvar::wait_async`] returns.
#[must_use = "futures do nothing unless they are polled"]
pub struct ConditionWait<'a, T: ShmSafe> {
    operation: Operation,
    /// Before it is polled, the guard; then what that was made of.
    guard: Option<AsyncMutexGuard<'a, T>>,
    task: Option<Task>,
    mutex: &'a Mutex<T>,
    condvar: &'a Condvar,
}

impl<'a, T: ShmSafe> Future for ConditionWait<'a, T> {
    type Output = AsyncLockResult<'a, Mutex<T>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: nothing is moved out of it but the guard and the task.
        let this = unsafe { self.get_unchecked_mut() };
        if let Some(guard) = this.guard.take() {
            this.task = Some(guard.into_parts().1 .0);
        }
        let task = this.task.as_ref().expect("a future is not polled after its end");
        let wait = Wait { cond: this.condvar.raw(), mutex: this.mutex.raw() };
        // SAFETY: the operation is pinned, since the future is; its drop ends it.
        let result = unsafe { this.operation.poll(cx, task, &wait) };
        result.map(|result| {
            let holder = taken(&mut this.task);
            let error = match result {
                Ok(number) if this.operation.has_waited() => {
                    return Guard::after_for(this.mutex, holder, number, WAIT);
                }
                Ok(number) => LockError::of(number, WAIT),
                Err(error) => LockError::Other(error),
            };
            if !this.operation.has_waited() {
                drop(Guard::new_for(this.mutex, holder)); // it still holds the mutex
            }
            Err(error)
        })
    }
}

impl Condvar {
    /// A future that releases the mutex, waits until notified, and takes the mutex again.
    ///
    /// The mutex is released when the future is polled, in one step with the beginning of the wait.
    /// Dropping it releases the mutex, if it has not done so, and passes on a notification that it
    /// had been given.  It ends as [`wait`](Self::wait) does.
    pub fn wait_async<'a, T: ShmSafe>(
        &'a self,
        guard: AsyncMutexGuard<'a, T>,
    ) -> ConditionWait<'a, T> {
        ConditionWait {
            operation: Operation::new(),
            mutex: guard.lock,
            guard: Some(guard),
            task: None,
            condvar: self,
        }
    }

    /// Waits by [`wait_async`](Self::wait_async) as long as `condition` is true.
    ///
    /// # Errors
    /// As for [`wait`](Self::wait).
    pub async fn wait_while_async<'a, T: ShmSafe>(
        &'a self,
        mut guard: AsyncMutexGuard<'a, T>,
        mut condition: impl FnMut(&T) -> bool,
    ) -> AsyncLockResult<'a, Mutex<T>> {
        while condition(&guard) {
            guard = self.wait_async(guard).await?;
        }
        Ok(guard)
    }
}

opaque! {
    [<L: Exclusive>] LockFuture<'_, L>;
    [<T: ShmSafe + Sync + Immutable>] ReadFuture<'_, T>;
    [] AcquireFuture<'_>;
    [] PermitFuture<'_>;
    [<T: ShmSafe>] ConditionWait<'_, T>;
}
