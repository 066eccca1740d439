// SPDX-License-Identifier: MIT
//! The locks for threads, as their users have them.

mod condvar;
mod misuse;
mod mutex;
#[cfg(not(miri))]
mod note;
mod objects;
mod once;
mod rwlock;
mod storm;
mod wait_until;

use std::time::{Duration, Instant};

/// Long enough for any machine: only a hang reaches it.
pub const LONG: Duration = Duration::from_secs(60);

/// Waits until the condition holds.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let limit = Instant::now() + LONG;
    while !condition() {
        assert!(Instant::now() < limit, "it never came about: {what}");
        std::thread::yield_now();
    }
}
