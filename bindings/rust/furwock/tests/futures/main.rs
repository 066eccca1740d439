// SPDX-License-Identifier: MIT
//! The futures, as a runtime has them.

mod executor;
mod mutex;
mod rwlock;
mod storm;
mod units;
