// SPDX-License-Identifier: MIT
//! The data of a lock: options, journals, panics.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use furwock::ipc::{
    journal_record, CopyMutex, Error, ErrorKind, Guard, LockError, LockOptions, Mutex, ReadError,
    Region, RwLock,
};
use zerocopy::{Immutable, IntoBytes, KnownLayout, TryFromBytes};

use crate::support::region;

#[derive(TryFromBytes, IntoBytes, KnownLayout, Immutable, Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
enum State {
    Free = 0,
    Used = 1,
}

#[derive(TryFromBytes, IntoBytes, KnownLayout, Immutable, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Record {
    number: u32,
    state: State,
    is_new: bool,
    name: [u8; 10],
}

const RECORD: Record = Record { number: 1, state: State::Free, is_new: true, name: *b"furwock-rs" };

fn panic_in<R>(run: impl FnOnce() -> R) {
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
}

#[test]
fn structs_enums_and_atomics_are_values() {
    let (_name, region) = region();
    let record = Mutex::open_or_create(&region, "record", RECORD).unwrap();
    record.lock().unwrap().state = State::Used;
    let copy = CopyMutex::<Record>::open(&region, "record").unwrap();
    assert_eq!(copy.lock().unwrap().read().unwrap(), Record { state: State::Used, ..RECORD });
    let atomic = Mutex::open_or_create(&region, "atomic", AtomicU32::new(7)).unwrap();
    assert_eq!(atomic.lock().unwrap().fetch_add(1, SeqCst), 7);
    let found = Mutex::<AtomicU32>::open(&region, "atomic").unwrap();
    assert_eq!(found.lock().unwrap().load(SeqCst), 8);
}

#[test]
fn what_there_is_has_to_fit() {
    let (_name, region) = region();
    let error = Mutex::<u64>::open(&region, "none").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("\"none\": there is none"), "{error}");
    drop(Mutex::open_or_create(&region, "small", 1_u64).unwrap());
    let kind = |result: Result<_, Error>| result.map(|_: Mutex<_>| ()).unwrap_err().kind();
    assert_eq!(kind(Mutex::open_or_create(&region, "small", [0_u64; 2])), ErrorKind::Mismatch);
    let wrong_kind = RwLock::<u64>::open(&region, "small").unwrap_err();
    assert_eq!(wrong_kind.kind(), ErrorKind::Mismatch);
    let new = LockOptions::new().create_new(true);
    let existing = Mutex::open_or_create_with(&region, "small", &new, 1_u64).unwrap_err();
    assert_eq!(existing.kind(), ErrorKind::AlreadyExists);
    let journal = LockOptions::new().journal(64);
    let without = Mutex::open_or_create_with(&region, "small", &journal, 1_u64).unwrap_err();
    assert_eq!(without.kind(), ErrorKind::Mismatch);
    let long = "x".repeat(33);
    let error = Mutex::open_or_create(&region, &long, 1_u64).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    drop(Mutex::open_or_create(&region, &long[1..], 1_u64).unwrap());
}

#[test]
fn data_may_have_a_name_of_their_own() {
    let (_name, region) = region();
    // SAFETY: no other lock has such data.
    let options = unsafe { LockOptions::new().data_name("accounts") };
    let mutex = Mutex::open_or_create_with(&region, "lock", &options, [3_u64; 2]).unwrap();
    assert_eq!(*mutex.lock().unwrap(), [3; 2]);
    assert_eq!(Mutex::<[u64; 2]>::open(&region, "lock").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_journal_is_found_without_asking() {
    let (_name, region) = region();
    let options = LockOptions::new().journal(journal_record(8));
    drop(Mutex::open_or_create_with(&region, "m", &options, 5_u64).unwrap());
    let mutex = Mutex::<u64>::open(&region, "m").unwrap();
    panic_in(|| {
        *mutex.lock().unwrap() = 6;
        panic!("no, this one does not panic with the guard");
    });
    assert_eq!(*mutex.lock().unwrap(), 6, "the guard was dropped before the panic");
    panic_in(|| {
        let mut guard = mutex.lock().unwrap();
        *guard = 7;
        panic!("as the test wants it");
    });
    assert_eq!(*mutex.lock().unwrap(), 6, "undone");
    let other = LockOptions::new().journal(1024);
    let error = Mutex::<u64>::open_with(&region, "m", &other).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Mismatch);
}

fn table(region: &Region) -> RwLock<[u64; 100]> {
    let options = LockOptions::new().journal(2 * journal_record(8));
    RwLock::open_or_create_with(region, "table", &options, [0; 100]).unwrap()
}

#[test]
fn a_transaction_is_whole_or_nothing() {
    let (_name, region) = region();
    let lock = table(&region);
    let mut guard = lock.write().unwrap();
    let result = Guard::journaled(&mut guard, |change| {
        *change.record(|t| &mut t[1])? = 1;
        *change.record(|t| &mut t[1])? = 2; // no second record
        *change.record(|t| &mut t[2])? = 2;
        assert_eq!(change[1] + change[2], 4);
        change.record(|t| &mut t[3]).map(drop)
    });
    assert_eq!(result.unwrap_err().kind(), ErrorKind::NoSpace);
    assert_eq!(*guard, [0; 100], "undone");
    Guard::journaled(&mut guard, |change| {
        *change.record(|t| &mut t[1])? = 1;
        Ok::<(), Error>(())
    })
    .unwrap();
    panic_in(|| {
        Guard::journaled(&mut guard, |change| {
            *change.record(|t| &mut t[1])? = 9;
            panic!("as the test wants it");
            #[allow(unreachable_code)]
            Ok::<(), Error>(())
        })
    });
    assert_eq!((guard[0], guard[1]), (0, 1));
    panic_in(|| guard[5] = 1); // 800 bytes have no space in the journal
    drop(guard);
    assert_eq!(lock.read().unwrap()[5], 0);
}

#[test]
fn only_parts_of_the_data_are_recorded() {
    let (_name, region) = region();
    let lock = table(&region);
    let mut guard = lock.write().unwrap();
    let result = Guard::journaled(&mut guard, |change| {
        change.record(|_| Box::leak(Box::new(0_u64))).map(drop)
    });
    assert_eq!(result.unwrap_err().kind(), ErrorKind::InvalidInput);
    Guard::journaled(&mut guard, |change| {
        assert!(change.record(|t| &mut t[..0])?.is_empty());
        change.record(|t| &mut t[10..12])?.copy_from_slice(&[10, 11]);
        Ok::<(), Error>(())
    })
    .unwrap();
    assert_eq!(guard[10..12], [10, 11]);
    drop(guard);
    let plain = Mutex::open_or_create(&region, "plain", 0_u64).unwrap();
    let mut guard = plain.lock().unwrap();
    let result = Guard::journaled(&mut guard, |_| Ok::<(), Error>(()));
    assert_eq!(result.unwrap_err().kind(), ErrorKind::InvalidInput, "no journal");
}

#[test]
fn a_panic_poisons_if_that_is_wanted() {
    let (_name, region) = region();
    let options = LockOptions::new().poison(true);
    let mutex = Mutex::open_or_create_with(&region, "m", &options, 1_u64).unwrap();
    let found = Mutex::<u64>::open(&region, "m").unwrap();
    panic_in(|| {
        *mutex.lock().unwrap() = 2;
        let _guard = mutex.lock().unwrap();
        panic!("as the test wants it");
    });
    assert!(matches!(found.lock(), Err(LockError::Poisoned(_))), "another handle, or process");
    let Err(LockError::Poisoned(poisoned)) = mutex.lock() else { panic!("it is gone") };
    assert_eq!(*poisoned.repair(|value| *value = 3).unwrap(), 3);
    assert_eq!(*found.lock().unwrap(), 3);

    let lock = RwLock::open_or_create_with(&region, "l", &options, 1_u64).unwrap();
    panic_in(|| {
        let _guard = lock.write().unwrap();
        panic!("as the test wants it");
    });
    assert!(matches!(lock.read(), Err(ReadError::Poisoned)));
    assert_eq!(*lock.read_or_repair(|value, death| *value += death.map_or(1, |_| 9)).unwrap(), 2);
}

#[test]
fn without_poison_a_panic_releases() {
    let (_name, region) = region();
    let mutex = Mutex::open_or_create(&region, "m", 1_u64).unwrap();
    panic_in(|| {
        let mut guard = mutex.lock().unwrap();
        *guard = 2;
        panic!("as the test wants it");
    });
    assert_eq!(*mutex.lock().unwrap(), 2);
}
