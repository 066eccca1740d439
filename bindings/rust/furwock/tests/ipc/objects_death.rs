// SPDX-License-Identifier: MIT
//! Deaths of those who hold or use the other objects.

use std::thread;
use std::time::Duration;

use furwock::ipc::{
    Barrier, BarrierMode, Condvar, ErrorKind, LockError, Mutex, Once, Permits, ReadError, Region,
    RwLock, Semaphore,
};

use crate::support::{
    kill_one, ready, ready_to_die, region, wait_until, Process, Victim, PATIENCE,
};

pub const VICTIMS: &[Victim] = &[
    ("reads", |region| {
        let lock = price(region);
        let _guard = lock.read().unwrap();
        ready_to_die()
    }),
    ("writes", |region| {
        let lock = price(region);
        let mut guard = lock.write().unwrap();
        guard[0] = 1000;
        ready_to_die()
    }),
    ("upgradable", |region| {
        let lock = price(region);
        let _guard = lock.upgradable_read().unwrap();
        ready_to_die()
    }),
    ("waits for letters", |region| {
        let (letters, not_empty) = mailbox(region);
        let guard = letters.lock().unwrap();
        ready();
        let _guard = not_empty.wait_while(guard, |letters| *letters == 0);
    }),
    ("borrows two permits", |region| {
        let permits = Permits::open_or_create(region, "permits", 2).unwrap();
        let (_one, _two) = (permits.acquire().unwrap(), permits.acquire().unwrap());
        ready_to_die()
    }),
    ("waits for a unit", |region| {
        let units = Semaphore::open_or_create(region, "units", 0, 10).unwrap();
        ready();
        units.acquire().unwrap();
    }),
    ("joins and dies", |region| {
        barrier(region, BarrierMode::Fail).join().unwrap();
        ready_to_die()
    }),
    ("joins, goes on", |region| {
        barrier(region, BarrierMode::GoOn).join().unwrap();
        ready_to_die()
    }),
    ("initialises", |region| {
        let once = Once::open_or_create(region, "once").unwrap();
        once.call(|_| ready_to_die()).unwrap();
    }),
];

fn price(region: &Region) -> RwLock<[u64; 2]> {
    RwLock::open_or_create(region, "price", [100, 102]).unwrap()
}

fn mailbox(region: &Region) -> (Mutex<u64>, Condvar) {
    let letters = Mutex::open_or_create(region, "letters", 0).unwrap();
    (letters, Condvar::open_or_create(region, "not empty").unwrap())
}

fn barrier(region: &Region, mode: BarrierMode) -> Barrier {
    let name = if mode == BarrierMode::Fail { "breaks" } else { "goes on" };
    Barrier::open_or_create(region, name, 2, mode).unwrap()
}

#[test]
fn a_dead_reader_is_no_reader() {
    let (name, region) = region();
    let lock = price(&region);
    let reader = Process::start("reads", &name);
    assert!(matches!(lock.try_write(), Err(LockError::WouldBlock)));
    assert_eq!(lock.try_read().unwrap()[0], 100);
    reader.kill();
    lock.write().unwrap()[0] = 101;
    let upgradable = Process::start("upgradable", &name);
    assert!(matches!(lock.try_upgradable_read(), Err(ReadError::WouldBlock)));
    upgradable.kill();
    drop(lock.upgradable_read().unwrap());
    assert_eq!(lock.last_death(), None, "nobody who read has changed anything");
}

#[test]
fn a_dead_writer_is_seen_by_readers_and_writers() {
    let (name, region) = region();
    let lock = price(&region);
    let victim = kill_one("writes", &name);
    assert!(matches!(lock.read(), Err(ReadError::WriterDied)));
    let Err(LockError::OwnerDied(died)) = lock.write() else { panic!("nobody died") };
    assert_eq!(died.death().process, victim);
    let guard = died.repair(|price, _| price[0] = 100).unwrap();
    drop(guard);
    assert_eq!(*lock.read().unwrap(), [100, 102]);

    let victim = kill_one("writes", &name);
    let guard = lock.read_or_repair(|price, death| {
        assert_eq!(death.unwrap().process, victim);
        price[0] = 99;
    });
    assert_eq!(*guard.unwrap(), [99, 102]);

    lock.on_death(|price, _| {
        price[0] = 98;
        true
    })
    .unwrap();
    kill_one("writes", &name);
    assert_eq!(*lock.read().unwrap(), [98, 102]);
}

#[test]
fn a_dead_waiter_takes_no_signal_with_it() {
    let (name, region) = region();
    let (letters, not_empty) = mailbox(&region);
    let waiters: Vec<_> = (0..3).map(|_| Process::start("waits for letters", &name)).collect();
    let mut waiters = waiters.into_iter();
    waiters.next().unwrap().kill();
    let mut rest: Vec<_> = waiters.collect();
    {
        let mut guard = letters.lock_or_repair(|_, _| ()).unwrap();
        *guard = 1; // stays: each waiter that is woken sees it
        not_empty.notify_one().unwrap();
        not_empty.notify_one().unwrap();
    }
    wait_until("both living waiters are woken", || rest.iter_mut().all(Process::has_ended));
}

#[test]
fn permits_come_back() {
    let (name, region) = region();
    let permits = Permits::open_or_create(&region, "permits", 2).unwrap();
    let victim = Process::start("borrows two permits", &name);
    assert_eq!(permits.try_acquire().unwrap_err().kind(), ErrorKind::TimedOut);
    thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            let permit = permits.acquire().unwrap();
            permit.previous_owner_died()
        });
        victim.kill();
        assert!(waiter.join().unwrap());
    });
    assert_eq!(permits.available(), 2);
}

#[test]
fn no_unit_goes_to_a_dead_waiter() {
    let (name, region) = region();
    let units = Semaphore::open_or_create(&region, "units", 0, 10).unwrap();
    Process::start("waits for a unit", &name).kill();
    let mut living = Process::start("waits for a unit", &name);
    units.release(1).unwrap();
    wait_until("the living waiter has the unit", || living.has_ended());
    assert_eq!(units.value(), 0);
}

#[test]
fn a_barrier_breaks_until_it_is_reset() {
    let (name, region) = region();
    let barrier = barrier(&region, BarrierMode::Fail);
    let victim = Process::start("joins and dies", &name);
    let error = barrier.wait_for(Duration::from_millis(1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    let victim = victim.kill();
    assert_eq!(barrier.wait().unwrap_err().kind(), ErrorKind::OwnerDied);
    assert_eq!(barrier.death().unwrap().process, victim);
    barrier.reset().unwrap();
    let error = barrier.wait_for(Duration::from_millis(1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut, "as new: the other one is missing");
}

#[test]
fn a_barrier_goes_on() {
    let (name, region) = region();
    let barrier = barrier(&region, BarrierMode::GoOn);
    kill_one("joins, goes on", &name);
    assert!(barrier.wait_for(PATIENCE).unwrap().is_leader());
}

#[test]
fn a_once_begins_again() {
    let (name, region) = region();
    let once = Once::open_or_create(&region, "once").unwrap();
    kill_one("initialises", &name);
    assert!(!once.is_done());
    let mut was_left = false;
    once.call(|state| was_left = state.is_left()).unwrap();
    assert!(was_left && once.is_done());
}
