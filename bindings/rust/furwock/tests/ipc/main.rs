// SPDX-License-Identifier: MIT
//! Locks between processes: threads, and processes that are killed.
#![cfg(feature = "ipc")]

mod basics;
mod data;
mod death;
#[path = "../futures/executor.rs"]
mod executor;
mod hostile;
mod limits;
mod objects_death;
mod storm;
mod support;
mod tasks;
mod wakers;

/// What a process runs that a test has started; nothing in the test run itself.
#[test]
fn victim() {
    support::run_victim(&[
        death::VICTIMS,
        limits::VICTIMS,
        objects_death::VICTIMS,
        storm::VICTIMS,
        tasks::VICTIMS,
    ]);
}
