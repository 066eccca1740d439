// SPDX-License-Identifier: MIT
//! Bytes that are not what they should be: errors, no undefined behaviour, no hang.

use std::fs::OpenOptions;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

use furwock::ipc::{
    Barrier, BarrierMode, Condvar, CopyMutex, ErrorKind, Guard, LockError, LockOptions, Mutex,
    Permits, ReadError, Region, RwLock, Semaphore, UntrustedRegion,
};

use crate::support::{kill_one, open, region, Name, Random};

fn write_at(name: &Name, at: u64, bytes: &[u8]) {
    let file = OpenOptions::new().write(true).open(name.path()).unwrap();
    file.write_all_at(bytes, at).unwrap();
}

fn bytes_of(name: &Name) -> Vec<u8> {
    std::fs::read(name.path()).unwrap()
}

/// Where the only place is that has these bytes.
fn find(name: &Name, bytes: &[u8]) -> u64 {
    let all = bytes_of(name);
    let mut places = all.windows(bytes.len()).enumerate().filter(|(_, window)| *window == bytes);
    let (at, _) = places.next().unwrap();
    assert!(places.next().is_none(), "several places");
    at as u64
}

#[test]
fn bytes_that_are_no_value_are_an_error() {
    let (name, region) = region();
    let mutex = Mutex::open_or_create(&region, "flags", [true; 32]).unwrap();
    let copy = CopyMutex::<[bool; 32]>::open(&region, "flags").unwrap();
    let place = find(&name, &[1; 32]);
    write_at(&name, place + 9, &[2]);
    assert!(matches!(mutex.lock(), Err(LockError::Invalid(_))));
    assert!(matches!(copy.lock(), Err(LockError::Invalid(_))));
    let error = mutex.lock_or_repair(|_, _| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    let Err(LockError::Invalid(invalid)) = mutex.lock() else { panic!("2 is no bool") };
    assert_eq!(invalid.death(), None);
    assert_eq!(*invalid.replace([false; 32]).unwrap(), [false; 32]);

    let guard = copy.lock().unwrap();
    write_at(&name, place, &[7]); // by somebody who does not hold the lock
    assert_eq!(guard.read().unwrap_err().kind(), ErrorKind::InvalidData);
    drop(guard);
    let Err(LockError::Invalid(invalid)) = copy.lock() else { panic!("7 is no bool") };
    let mut guard = invalid.replace([true; 32]).unwrap();
    guard.write([false; 32]);
    assert_eq!(guard.read().unwrap(), [false; 32]);
}

#[test]
fn a_dead_owner_s_bytes_are_checked_before_the_repair() {
    let (name, region) = region();
    drop(Mutex::open_or_create(&region, "pair", [50_u64, 50]).unwrap());
    let mutex = Mutex::<[bool; 16]>::open(&region, "pair").unwrap(); // the same bytes
    kill_one("half a change", &name);
    let Err(LockError::OwnerDied(died)) = mutex.lock() else { panic!("nobody died") };
    let Err(LockError::Invalid(invalid)) = died.repair(|_, _| panic!("called")) else {
        panic!("50 is no bool")
    };
    assert!(invalid.death().is_some());
    assert_eq!(*invalid.replace([true; 16]).unwrap(), [true; 16]);
    assert!(mutex.lock().is_ok());
}

#[test]
fn a_copy_is_repaired_like_the_data() {
    let (name, region) = region();
    let copy = CopyMutex::open_or_create(&region, "pair", [50_u64, 50]).unwrap();
    let victim = kill_one("half a change", &name);
    let Err(LockError::OwnerDied(died)) = copy.lock() else { panic!("nobody died") };
    assert_eq!(died.death().process, victim);
    let guard = died.repair(|pair, _| pair[1] = 100 - pair[0]).unwrap();
    assert_eq!(guard.read().unwrap(), [49, 51]);
    drop(guard);
    copy.on_death(|pair, _| {
        *pair = [1, 99];
        true
    })
    .unwrap();
    kill_one("half a change", &name);
    assert_eq!(copy.lock().unwrap().read().unwrap(), [1, 99]);
    copy.no_repair();
    kill_one("half a change", &name);
    assert_eq!(copy.lock_or_repair(|pair, _| pair[1] = 7).unwrap().read().unwrap(), [49, 7]);
}

#[test]
fn readers_check_too() {
    let (name, region) = region();
    let lock = RwLock::open_or_create(&region, "letter", ['x'; 16]).unwrap();
    let place = find(&name, "x\0\0\0".repeat(16).as_bytes());
    write_at(&name, place + 4, &0xd800_u32.to_ne_bytes()); // a surrogate is no char
    assert!(matches!(lock.read(), Err(ReadError::Invalid)));
    let Err(LockError::Invalid(invalid)) = lock.write() else { panic!("no char") };
    drop(invalid.replace(['y'; 16]).unwrap());
    assert_eq!(*lock.read().unwrap(), ['y'; 16]);
}

#[test]
fn no_region_is_refused() {
    let kind = |name: &Name| Region::options().open_untrusted(&name.0).unwrap_err().kind();
    let truncated = Name::new();
    drop(open(&truncated.0, 256 << 10));
    OpenOptions::new().write(true).open(truncated.path()).unwrap().set_len(100_000).unwrap();
    assert_eq!(kind(&truncated), ErrorKind::Corrupted);

    let overwritten = Name::new();
    drop(open(&overwritten.0, 256 << 10));
    write_at(&overwritten, 0, &[0x55; 64]);
    assert_eq!(kind(&overwritten), ErrorKind::Corrupted);

    let text = Name::new();
    let mut options = OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(text.path()).unwrap();
    file.write_all_at(&b"no region ".repeat(10_000), 0).unwrap();
    assert_eq!(kind(&text), ErrorKind::Corrupted);
    file.set_len(0).unwrap();
    assert_eq!(kind(&text), ErrorKind::NotFound, "empty: not begun");
}

/// FNV-1a, as the region's head has it over its first nine words.
fn checksum(head: &[u8]) -> u64 {
    head.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[test]
fn a_region_from_before_the_boot_is_refused_or_renewed() {
    const BOOT: usize = 64;
    const CHECK: usize = 72;
    let name = Name::new();
    let region = open(&name.0, 64 << 10);
    drop(Mutex::open_or_create(&region, "m", 7_u64).unwrap());
    drop(region);
    let mut head = bytes_of(&name)[..CHECK + 8].to_vec();
    let stored = u64::from_ne_bytes(head[CHECK..].try_into().unwrap());
    assert_eq!(stored, checksum(&head[..CHECK]), "src/ipc/region/layout.h has changed");
    head[BOOT] ^= 0x55; // another boot
    write_at(&name, 0, &head[..CHECK]);
    write_at(&name, CHECK as u64, &checksum(&head[..CHECK]).to_ne_bytes());

    let options = Region::options().create(true);
    let error = options.open_untrusted(&name.0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stale);
    let region = options.renew(true).open_untrusted(&name.0).unwrap();
    let gone = CopyMutex::<u64>::open(&region, "m").unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound, "a new region");
}

#[test]
fn other_users_files_have_to_be_expected() {
    let name = Name::new();
    let wide = Region::options().create(true).mode(0o666);
    drop(wide.open_untrusted(&name.0).unwrap());
    std::fs::set_permissions(name.path(), std::os::unix::fs::PermissionsExt::from_mode(0o666))
        .unwrap();
    let narrow = Region::options().create(true);
    let error = narrow.open_untrusted(&name.0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotPermitted);
    drop(narrow.shared(true).open_untrusted(&name.0).unwrap());
}

#[test]
fn a_word_that_cannot_be_is_an_error() {
    let (name, region) = region();
    let mutex = Mutex::open_or_create(&region, "m", *b"a place to find!").unwrap();
    let before = bytes_of(&name);
    let guard = mutex.lock().unwrap();
    let during = bytes_of(&name);
    drop(guard);
    // The lock lies before its data, and its word is its first.
    let data = find(&name, b"a place to find!") as usize;
    let has_changed = |at: &usize| before[*at..*at + 8] != during[*at..*at + 8];
    let word = (data - 1024..data).step_by(8).find(has_changed).unwrap();
    write_at(&name, word as u64, &[0xff; 8]);
    assert!(matches!(mutex.lock(), Err(LockError::Corrupted)), "{:?}", mutex.lock());
    assert!(matches!(mutex.try_lock(), Err(LockError::Corrupted)));
}

/// All calls, each with a time limit; what they return does not matter.
fn use_all(region: &UntrustedRegion) {
    const LIMIT: Duration = Duration::from_micros(100);
    let options = LockOptions::new().journal(256);
    if let Ok(m) = CopyMutex::open_or_create_with(region, "m", &options, [true; 8]) {
        if let Ok(mut guard) = m.try_lock_for(LIMIT) {
            let copy = guard.read().unwrap_or([false; 8]);
            // A journal that was overwritten is a panic there, by contract.
            let _ = catch_unwind(AssertUnwindSafe(|| guard.write(copy)));
            let _ = Guard::unlock(guard);
        }
    }
    if let Ok(s) = Semaphore::open_or_create(region, "s", 1, 3) {
        let _ = (s.try_acquire_for(LIMIT), s.release(1), s.value());
    }
    if let Ok(p) = Permits::open_or_create(region, "p", 3) {
        drop(p.try_acquire_for(LIMIT));
        let _ = (p.available(), p.count(), p.held_by_me());
    }
    if let Ok(b) = Barrier::open_or_create(region, "b", 2, BarrierMode::Fail) {
        let _ = (b.wait_for(LIMIT).is_ok(), b.death(), b.leave());
    }
    if let Ok(c) = Condvar::open_or_create(region, "c") {
        let _ = (c.notify_one(), c.notify_all());
    }
}

#[test]
fn any_word_anywhere_neither_crashes_nor_hangs() {
    let name = Name::new();
    let region = open(&name.0, 64 << 10);
    use_all(&region);
    let sound = bytes_of(&name);
    let is_used = |at: &usize| sound[*at..*at + 8] != [0; 8];
    let used: Vec<usize> = (0..sound.len()).step_by(8).filter(is_used).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..600 {
        let any = random.next() as usize;
        let at = if round % 2 == 0 { used[any % used.len()] } else { any % (sound.len() / 8) * 8 };
        let values = [0, u64::MAX, random.next(), random.next() % 4096, 1 << (random.next() % 64)];
        write_at(&name, at as u64, &values[(random.next() % 5) as usize].to_ne_bytes());
        for options in [Region::options(), Region::options().create(true)] {
            if let Ok(again) = options.open_untrusted(&name.0) {
                use_all(&again);
            }
        }
        use_all(&region);
        write_at(&name, at as u64, &sound[at..at + 8]);
    }
}
