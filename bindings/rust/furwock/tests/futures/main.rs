// SPDX-License-Identifier: MIT
//! The futures, as a runtime has them.

mod condvar;
mod executor;
mod mutex;
mod rwlock;
mod storm;
mod units;
