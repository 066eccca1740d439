// SPDX-License-Identifier: MIT
//! What stands for `parking_lot` in parking_lot's own tests.
#![allow(missing_docs)] // names that furwock documents

/// furwock as it is.
pub mod default {
    pub use furwock::*;
}

/// The same with a read-write lock that a thread may read-lock twice, as parking_lot's tests do.
pub mod readers {
    use furwock::RawRwLockReaders as Raw;
    pub use furwock::*;

    pub type RwLock<T> = furwock::lock_api::RwLock<Raw, T>;
    pub type RwLockUpgradableReadGuard<'a, T> = furwock::RwLockUpgradableReadGuard<'a, T, Raw>;
    pub type RwLockWriteGuard<'a, T> = furwock::RwLockWriteGuard<'a, T, Raw>;
}

/// A private function of parking_lot that its tests call, in terms of the public ones.
pub trait Internal {
    fn wait_while_until_internal<T, F: FnMut(&mut T) -> bool>(
        &self,
        guard: &mut furwock::MutexGuard<'_, T>,
        condition: F,
        timeout: Option<std::time::Instant>,
    ) -> furwock::WaitTimeoutResult;
}

impl Internal for furwock::Condvar {
    fn wait_while_until_internal<T, F: FnMut(&mut T) -> bool>(
        &self,
        guard: &mut furwock::MutexGuard<'_, T>,
        condition: F,
        timeout: Option<std::time::Instant>,
    ) -> furwock::WaitTimeoutResult {
        match timeout {
            Some(timeout) => self.wait_while_until(guard, condition, timeout),
            None => self.wait_while_for(guard, condition, std::time::Duration::MAX),
        }
    }
}

/// What the tests use of the crate `rand`.
pub mod rand {
    use std::cell::Cell;
    use std::collections::hash_map::RandomState;
    use std::hash::{BuildHasher, Hasher};

    pub trait Rng {
        /// True with that probability.
        fn gen_bool(&mut self, probability: f64) -> bool;
    }

    pub struct ThreadRng(());

    pub fn thread_rng() -> ThreadRng {
        ThreadRng(())
    }

    thread_local! {
        static STATE: Cell<u64> = Cell::new(RandomState::new().build_hasher().finish() | 1);
    }

    impl Rng for ThreadRng {
        /// By xorshift: Marsaglia, Journal of Statistical Software 8(14), 2003.
        fn gen_bool(&mut self, probability: f64) -> bool {
            let mut x = STATE.get();
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            STATE.set(x);
            ((x >> 11) as f64 / (1u64 << 53) as f64).lt(&probability)
        }
    }
}

/// The examples of the documents are tests.
#[cfg(doctest)]
pub mod documents {
    #[doc = include_str!("../../../../doc/guide/rust.md")]
    pub struct Guide;

    #[doc = include_str!("../../furwock/README.md")]
    pub struct Readme;
}
