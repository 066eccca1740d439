// SPDX-License-Identifier: MIT
//! What each object does while nobody dies.

use std::fs::File;
use std::os::fd::{AsFd, FromRawFd};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

use furwock::ipc::{
    Barrier, BarrierMode, Condvar, Error, ErrorKind, Guard, Held, HeldMode, LockError, Mutex, Once,
    OnceError, Permits, ReadError, ReadGuard, Region, RwLock, Semaphore,
};

use crate::support::{open, region, Name, PATIENCE};

const SOON: Duration = Duration::from_millis(2);

#[test]
fn a_mutex_excludes() {
    let (_name, region) = region();
    let mutex = Mutex::open_or_create(&region, "m", 0_u64).unwrap();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..10_000).for_each(|_| *mutex.lock().unwrap() += 1));
        }
    });
    assert_eq!(*mutex.lock().unwrap(), 40_000);
    assert_eq!(mutex.generation(), 40_001);
}

#[test]
fn what_is_held_is_refused_or_timed_out() {
    let (_name, region) = region();
    let mutex = Mutex::open_or_create(&region, "m", 0_u64).unwrap();
    let guard = mutex.lock().unwrap();
    assert!(matches!(mutex.lock(), Err(LockError::Deadlock)));
    thread::scope(|scope| {
        scope.spawn(|| {
            assert!(matches!(mutex.try_lock(), Err(LockError::WouldBlock)));
            assert!(matches!(mutex.try_lock_for(SOON), Err(LockError::TimedOut)));
            let past = Instant::now();
            assert!(matches!(mutex.try_lock_until(past), Err(LockError::TimedOut)));
            assert!(!mutex.is_held_by_me());
        });
    });
    drop(guard);
    drop(mutex.try_lock().unwrap());
    drop(mutex.try_lock_for(PATIENCE).unwrap());
    drop(mutex.try_lock_for(Duration::MAX).unwrap());
    let error = mutex.lock().map(|_guard| mutex.try_lock().unwrap_err().into_error()).unwrap();
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
}

#[test]
fn readers_share_and_upgrade() {
    let (_name, region) = region();
    let lock = RwLock::open_or_create(&region, "l", 7_u64).unwrap();
    let one = lock.read().unwrap();
    let state = lock.state().unwrap();
    assert_eq!((state.held, state.mode, state.readers), (Held::ByMe, Some(HeldMode::Read), 1));
    thread::scope(|scope| {
        scope.spawn(|| {
            assert_eq!(*lock.try_read().unwrap(), 7);
            assert!(matches!(lock.try_write(), Err(LockError::WouldBlock)));
            assert!(matches!(lock.try_write_for(SOON), Err(LockError::TimedOut)));
            let upgradable = lock.upgradable_read().unwrap();
            let (upgradable, error) = ReadGuard::try_upgrade(upgradable).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::WouldBlock);
            let (upgradable, error) = ReadGuard::try_upgrade_for(upgradable, SOON).unwrap_err();
            assert_eq!((error.kind(), *upgradable), (ErrorKind::TimedOut, 7));
        });
    });
    drop(one);
    let mut writer = ReadGuard::upgrade(lock.upgradable_read().unwrap()).unwrap();
    *writer += 1;
    assert!(matches!(lock.read(), Err(ReadError::Deadlock)));
    let upgradable = Guard::downgrade_to_upgradable(writer).unwrap();
    let reader = ReadGuard::downgrade(upgradable).unwrap();
    assert_eq!((*reader, *lock.try_read().unwrap()), (8, 8));
    drop(reader);
    let reader = Guard::downgrade(lock.write().unwrap()).unwrap();
    assert_eq!(*reader, 8);
    let all: Result<Vec<_>, _> = (0..16).map(|_| lock.read()).collect();
    assert!(matches!(all, Err(ReadError::NoSlot)), "16 read locks, this one included");
}

#[test]
fn a_condition_variable_hands_over() {
    let (_name, region) = region();
    let letters = Mutex::open_or_create(&region, "letters", 0_u64).unwrap();
    let not_empty = Condvar::open_or_create(&region, "not empty").unwrap();
    let (guard, is_over) = not_empty.wait_for(letters.lock().unwrap(), SOON).unwrap();
    assert!(is_over || *guard == 0, "nobody has notified");
    let result = not_empty.wait_while_for(guard, SOON, |letters| *letters == 0).unwrap();
    assert!(result.1, "the condition is still true");
    drop(result);
    thread::scope(|scope| {
        let consumers = [(); 3].map(|()| {
            scope.spawn(|| {
                let guard = letters.lock().unwrap();
                *not_empty.wait_while(guard, |letters| *letters == 0).unwrap() -= 1;
            })
        });
        *letters.lock().unwrap() += 3;
        not_empty.notify_all().unwrap();
        consumers.into_iter().for_each(|consumer| consumer.join().unwrap());
    });
    assert_eq!(*letters.lock().unwrap(), 0);
}

#[test]
fn a_wait_with_a_mutex_of_another_region_releases_it() {
    let (_one, a) = region();
    let (_two, b) = region();
    let mutex = Mutex::open_or_create(&a, "m", 0_u64).unwrap();
    let condition = Condvar::open_or_create(&b, "c").unwrap();
    let result = condition.wait(mutex.lock().unwrap());
    assert!(matches!(result, Err(LockError::Other(_))), "{result:?}");
    assert!(mutex.try_lock().is_ok());
}

#[test]
fn semaphores_and_permits_count() {
    let (_name, region) = region();
    let units = Semaphore::open_or_create(&region, "units", 1, 2).unwrap();
    assert_eq!(units.release(2).unwrap_err().kind(), ErrorKind::Overflow);
    units.release(1).unwrap();
    units.acquire().unwrap();
    assert!(units.try_acquire().unwrap());
    assert!(!units.try_acquire().unwrap() && !units.try_acquire_for(SOON).unwrap());
    let error = Semaphore::open_or_create(&region, "units", 1, 3).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Mismatch);
    assert_eq!(Semaphore::open(&region, "units").unwrap().value(), 0);

    let permits = Permits::open_or_create(&region, "permits", 2).unwrap();
    let (one, two) = (permits.acquire().unwrap(), permits.try_acquire().unwrap());
    assert!(one.index() != two.index() && permits.held_by_me() == 2);
    assert_eq!(permits.try_acquire_for(SOON).unwrap_err().kind(), ErrorKind::TimedOut);
    one.release().unwrap();
    assert_eq!((permits.count(), permits.available()), (2, 1));
}

#[test]
fn a_barrier_has_phases() {
    let (_name, region) = region();
    let barrier = Barrier::open_or_create(&region, "b", 3, BarrierMode::Fail).unwrap();
    thread::scope(|scope| {
        let all = [(); 3].map(|()| {
            scope.spawn(|| {
                let leads: usize =
                    (0..50).map(|_| usize::from(barrier.wait().unwrap().is_leader())).sum();
                let arrival = barrier.arrive().unwrap();
                barrier.await_end(arrival).unwrap();
                barrier.leave().unwrap();
                leads
            })
        });
        let leads: usize = all.into_iter().map(|one| one.join().unwrap()).sum();
        assert_eq!(leads, 50);
    });
    assert!(barrier.phase() >= 51);
    assert_eq!(barrier.leave().unwrap_err().kind(), ErrorKind::NotPermitted);
}

#[test]
fn a_once_that_fails_or_panics_begins_again() {
    let (_name, region) = region();
    let once = Once::open_or_create(&region, "once").unwrap();
    assert!(matches!(once.try_call(|_| Err("not yet")), Err(OnceError::Failed("not yet"))));
    let panicked = std::panic::catch_unwind(|| once.call(|_| panic!("as the test wants it")));
    assert!(panicked.is_err() && !once.is_done());
    let recursive = AtomicBool::new(false);
    once.call(|_| {
        let error = once.call(|_| ()).unwrap_err();
        recursive.store(error.kind() == ErrorKind::Deadlock, SeqCst);
    })
    .unwrap();
    assert!(recursive.load(SeqCst) && once.is_done());
    once.try_call(|_| Err(())).unwrap();
}

#[test]
fn regions_are_opened_as_asked() {
    let name = Name::new();
    let kind = |result: Result<_, Error>| result.map(drop).unwrap_err().kind();
    let options = Region::options();
    assert_eq!(kind(options.open_untrusted(&name.0)), ErrorKind::NotFound);
    let region = open(&name.0, 128 << 10);
    assert_eq!(region.size(), 128 << 10);
    assert!(region.owner().is_ok());
    let new = options.clone().create_new(true);
    assert_eq!(kind(new.open_untrusted(&name.0)), ErrorKind::AlreadyExists);
    assert_eq!(kind(options.clone().size(1 << 20).open_untrusted(&name.0)), ErrorKind::Mismatch);
    assert_eq!(kind(options.clone().renew(true).open_untrusted(&name.0)), ErrorKind::InvalidInput);
    assert_eq!(kind(options.clone().mode(0o1777).open_untrusted(&name.0)), ErrorKind::InvalidInput);
    assert_eq!(kind(options.open_untrusted("/no\0name")), ErrorKind::InvalidInput);
    let again = options.open_untrusted(&name.0).unwrap();
    assert_eq!(again.base(), region.base(), "one address in a process");
    Region::remove(&name.0).unwrap();
    assert_eq!(Region::remove(&name.0).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_region_in_a_file_or_a_memfd() {
    let directory = std::env::temp_dir();
    let path = directory.join(format!("furwock-rust-{}", std::process::id()));
    let options = Region::options().create(true);
    // SAFETY: nobody else uses the file.
    let region = unsafe { options.open(&path) }.unwrap();
    drop(Mutex::open_or_create(&region, "m", 1_u64).unwrap());
    drop(region);
    // SAFETY: the same.
    let region = unsafe { Region::options().open(&path) }.unwrap();
    assert_eq!(*Mutex::<u64>::open(&region, "m").unwrap().lock().unwrap(), 1);
    Region::remove(&path).unwrap();

    // SAFETY: a new descriptor, which the file then owns.
    let file = unsafe { File::from_raw_fd(libc::memfd_create(c"furwock".as_ptr(), 0)) };
    // SAFETY: nobody else uses the memfd.
    let region = unsafe { options.open_fd(file.as_fd()) }.unwrap();
    drop(file);
    let mutex = Mutex::open_or_create(&region, "m", 2_u64).unwrap();
    assert_eq!(*mutex.lock().unwrap(), 2);
}

#[test]
fn a_region_in_a_mapping_stays_until_it_is_closed() {
    const SIZE: usize = 64 << 10;
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping.
    let memory = unsafe { libc::mmap(std::ptr::null_mut(), SIZE, access, flags, -1, 0) };
    let memory = std::ptr::NonNull::new(memory.cast::<u8>()).unwrap();
    // SAFETY: the mapping stays until the region is closed, and is used for nothing else.
    let region = unsafe { Region::options().create(true).adopt(memory, SIZE) }.unwrap();
    let mutex = Mutex::open_or_create(&region, "m", 0_u64).unwrap();
    *mutex.lock().unwrap() = 5;
    let refused = (*region).clone().close().unwrap_err();
    assert_eq!(refused.error.kind(), ErrorKind::WouldBlock);
    drop((region, mutex));
    refused.region.unwrap().close().unwrap();
    // SAFETY: nobody uses it any more.
    assert_eq!(unsafe { libc::munmap(memory.as_ptr().cast(), SIZE) }, 0);
}

#[test]
fn objects_keep_their_region_open() {
    let (name, region) = region();
    let mutex = Mutex::open_or_create(&region, "m", 0_u64).unwrap();
    drop(region);
    *mutex.lock().unwrap() += 1;
    drop(mutex);
    let region = open(&name.0, 0);
    assert_eq!(*Mutex::<u64>::open(&region, "m").unwrap().lock().unwrap(), 1);
}
