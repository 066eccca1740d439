// SPDX-License-Identifier: MIT
//! Whose a held lock is: a thread's, or a task's.

use std::marker::PhantomData;

use crate::future::operation::Task;

/// Who a guard holds its lock for: [`HeldByThread`] or [`HeldByTask`].
pub trait Holder: sealed::Holder {}

pub(super) mod sealed {
    use super::super::guard::Exclusive;
    use super::super::permits::Permits;

    pub trait Holder {
        /// Calls of C for what it holds.
        fn unlock<L: Exclusive>(&self, lock: &L) -> i32;
        fn consistent<L: Exclusive>(&self, lock: &L) -> i32;
        fn give(&self, permits: &Permits, index: u32) -> i32;
    }
}

/// The thread that called: its guards cannot be sent to another one.
#[derive(Debug)]
pub struct HeldByThread(PhantomData<*mut ()>);

/// A task, which may go on in any thread: its guards are [`Send`].
#[derive(Debug)]
pub struct HeldByTask(pub(super) Task);

impl HeldByThread {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl Holder for HeldByThread {}
impl Holder for HeldByTask {}

impl sealed::Holder for HeldByThread {
    #[inline]
    fn unlock<L: super::guard::Exclusive>(&self, lock: &L) -> i32 {
        lock.unlock()
    }

    fn consistent<L: super::guard::Exclusive>(&self, lock: &L) -> i32 {
        lock.consistent()
    }

    fn give(&self, permits: &super::Permits, index: u32) -> i32 {
        permits.give(index)
    }
}

impl sealed::Holder for HeldByTask {
    #[inline]
    fn unlock<L: super::guard::Exclusive>(&self, lock: &L) -> i32 {
        lock.unlock_for(self.0.id())
    }

    fn consistent<L: super::guard::Exclusive>(&self, lock: &L) -> i32 {
        lock.consistent_for(self.0.id())
    }

    fn give(&self, permits: &super::Permits, index: u32) -> i32 {
        permits.give_for(index, self.0.id())
    }
}
