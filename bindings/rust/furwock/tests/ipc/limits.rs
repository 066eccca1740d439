// SPDX-License-Identifier: MIT
//! What runs out, and what must not leak.

use std::sync::Barrier;
use std::thread;

use furwock::ipc::{Condvar, ErrorKind, LockError, Mutex, Region};

use crate::support::{open, region, wait_until, Name, Process, Victim};

#[test]
fn a_full_region_says_so_and_works_on() {
    let name = Name::new();
    let region = open(&name.0, 64 << 10);
    let first = Mutex::open_or_create(&region, "first", 1_u64).unwrap();
    let mut sizes = 0;
    let error = loop {
        match Mutex::open_or_create(&region, &format!("{sizes}"), [0_u64; 64]) {
            Ok(_) => sizes += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::NoSpace);
    assert!(sizes > 10, "24 KiB for objects of 600 bytes each");
    *first.lock().unwrap() += 1;
    assert_eq!(*Mutex::<u64>::open(&region, "first").unwrap().lock().unwrap(), 2);
}

#[test]
fn a_full_directory_says_so() {
    let name = Name::new();
    let region = open(&name.0, 64 << 10);
    let made = (0..1000).map(|i| Condvar::open_or_create(&region, &format!("c{i}")));
    let results: Vec<_> = made.take_while(Result::is_ok).collect();
    assert_eq!(results.len(), 64);
    let error = Condvar::open_or_create(&region, "one more").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoSpace);
}

/// As many threads as the region has slots take one each, and keep it until the end.
#[test]
fn no_slot_is_left_until_threads_end() {
    const SLOTS: usize = 128;
    let name = Name::new();
    let region = open(&name.0, 64 << 10);
    let mutex = Mutex::open_or_create(&region, "m", 0_u64).unwrap();
    // SAFETY: this thread has no guard; it needs a slot no more.
    unsafe { region.leave() };
    let (all_in, end) = (Barrier::new(SLOTS + 1), Barrier::new(SLOTS + 1));
    thread::scope(|scope| {
        for _ in 0..SLOTS {
            scope.spawn(|| {
                *mutex.lock().unwrap() += 1;
                all_in.wait();
                end.wait();
            });
        }
        all_in.wait();
        assert!(matches!(mutex.lock(), Err(LockError::NoSlot)));
        end.wait();
    });
    // The scope ends with the closures, perhaps before the threads.
    wait_until("a thread has ended", || !matches!(mutex.lock(), Err(LockError::NoSlot)));
    assert_eq!(*mutex.lock().unwrap(), SLOTS as u64);
}

#[test]
fn threads_that_end_leave_no_slots() {
    let (_name, region) = region();
    let mutex = Mutex::open_or_create(&region, "m", 0_u64).unwrap();
    for _ in 0..300 {
        thread::scope(|scope| {
            scope.spawn(|| *mutex.lock().unwrap() += 1);
        });
    }
    assert_eq!(*mutex.lock().unwrap(), 300);
}

/// In a process of its own, since other tests open descriptors as well.
pub fn open_and_close(_: &Region) {
    let count = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let mapped = || std::fs::read_to_string("/proc/self/maps").unwrap().matches("dev/shm").count();
    let name = Name::new();
    let before = (count(), mapped());
    for _ in 0..200 {
        let region = open(&name.0, 64 << 10);
        let mutex = Mutex::open_or_create(&region, "m", 0_u64).unwrap();
        *mutex.lock().unwrap() += 1;
    }
    assert_eq!((count(), mapped()), before, "descriptors and mappings");
    Region::remove(&name.0).unwrap();
    assert!(!std::path::Path::new(&name.path()).exists());
}

pub const VICTIMS: &[Victim] = &[("opens and closes", open_and_close), ("opens many", open_many)];

#[test]
fn opening_and_closing_leaves_nothing() {
    let (name, _region) = region();
    Process::spawn("opens and closes", &name).expect_success();
}

#[test]
fn a_process_has_sixteen_regions() {
    let (name, _region) = region();
    Process::spawn("opens many", &name).expect_success();
}

pub fn open_many(_: &Region) {
    let names: Vec<Name> = (0..16).map(|_| Name::new()).collect();
    let options = Region::options().create(true);
    // One is open: that of the test.
    let regions: Vec<_> = names.iter().map(|name| options.open_untrusted(&name.0)).collect();
    assert!(regions[..15].iter().all(Result::is_ok));
    assert_eq!(regions[15].as_ref().unwrap_err().kind(), ErrorKind::TooMany);
}
