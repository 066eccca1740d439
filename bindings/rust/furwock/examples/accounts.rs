// SPDX-License-Identifier: MIT
//! Two accounts in shared memory, and processes that are killed while they move money.
//!
//!     cargo run --example accounts                # starts processes, kills them, looks
//!
//! The mutex has an undo journal: what a killed process had begun, the next `lock` puts back.

use furwock::ipc::{Error, LockOptions, Mutex, Region};
use std::process::{Command, Stdio};
use std::time::Duration;

fn open(name: &str) -> Result<Mutex<[i64; 2]>, Error> {
    // SAFETY: the file is private to this user (0600), whose programs change the data of a lock
    // only while they hold it.
    let region = unsafe { Region::options().create(true).open(name) }?;
    let journal = LockOptions::new().journal(1024);
    Mutex::open_or_create_with(&region, "accounts", &journal, [100, 100])
}

/// Moves money to and fro, until it is killed.
fn move_money(name: &str) -> Result<(), Error> {
    let accounts = open(name)?;
    for round in 0.. {
        let mut both = accounts.lock().map_err(|error| error.into_error())?;
        let amount = round % 7 - 3;
        both[0] -= amount; // killed here, only this one is changed, and put back
        both[1] += amount;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args();
    let program = arguments.next().expect("a program has a name");
    if let Some(name) = arguments.next() {
        return Ok(move_money(&name)?);
    }
    let name = format!("/accounts-{}", std::process::id());
    let accounts = open(&name)?;
    for _ in 0..20 {
        let mut child = Command::new(&program).arg(&name).stdin(Stdio::null()).spawn()?;
        std::thread::sleep(Duration::from_millis(5));
        child.kill()?; // SIGKILL
        child.wait()?;
        let both = accounts.lock().map_err(|error| error.into_error())?;
        assert_eq!(both[0] + both[1], 200);
    }
    Region::remove(&name)?;
    println!("20 processes were killed; the sum is still 200");
    Ok(())
}
