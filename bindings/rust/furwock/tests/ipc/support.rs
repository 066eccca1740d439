// SPDX-License-Identifier: MIT
//! Regions of a test, and processes that it starts and kills.

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use furwock::ipc::Region;

/// Only a hang takes as long.
pub const PATIENCE: Duration = Duration::from_secs(60);

const VICTIM: &str = "FURWOCK_TEST_VICTIM";
const REGION: &str = "FURWOCK_TEST_REGION";
const MARK: &str = "@ready";

/// A name in /dev/shm that nobody else has; removed at the end.
pub struct Name(pub String);

impl Name {
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Relaxed);
        Self(format!("/furwock-rust-{}-{number}", std::process::id()))
    }

    pub fn path(&self) -> String {
        format!("/dev/shm{}", self.0)
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        let _ = Region::remove(&self.0); // some tests have removed it
    }
}

pub fn open(name: &str, size: usize) -> Region {
    let options = Region::options().create(true).size(size);
    // SAFETY: only this test and its children use the region, and they keep the rules.
    unsafe { options.open(name) }.unwrap()
}

/// A new region of 256 KiB.
pub fn region() -> (Name, Region) {
    let name = Name::new();
    let region = open(&name.0, 256 << 10);
    (name, region)
}

/// What a victim does, after `ready` or before.
pub type Victim = (&'static str, fn(&Region));

pub fn run_victim(tables: &[&[Victim]]) {
    let (Ok(wanted), Ok(name)) = (env::var(VICTIM), env::var(REGION)) else { return };
    let region = open(&name, 0);
    let known = tables.iter().flat_map(|table| table.iter());
    let (_, run) = known.into_iter().find(|(name, _)| *name == wanted).expect("a known victim");
    run(&region);
}

/// For a victim: says that it is where the test wants it.
pub fn ready() {
    println!("\n{MARK}");
    std::io::stdout().flush().unwrap();
}

/// For a victim: the same, and waits to be killed.
pub fn ready_to_die() -> ! {
    ready();
    loop {
        std::thread::park();
    }
}

/// A process that runs a victim; it dies with the test.
pub struct Process(Child, Option<BufReader<ChildStdout>>);

impl Process {
    /// Does not wait until it is ready.
    pub fn spawn(victim: &str, name: &Name) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args(["--exact", "victim", "--nocapture", "--test-threads=1"])
            .env(VICTIM, victim)
            .env(REGION, &name.0)
            .stdout(Stdio::piped());
        // SAFETY: one system call between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            });
        }
        Self(command.spawn().unwrap(), None)
    }

    /// Waits until it is ready.
    pub fn start(victim: &str, name: &Name) -> Self {
        let mut process = Self::spawn(victim, name);
        let mut output = BufReader::new(process.0.stdout.take().unwrap());
        let lines = output.by_ref().lines();
        let is_ready = lines.map_while(Result::ok).any(|line| line.ends_with(MARK));
        process.1 = Some(output); // stays open: it may have more to say
        assert!(is_ready, "the victim {victim} has ended before it was ready");
        process
    }

    pub fn id(&self) -> i32 {
        self.0.id().try_into().unwrap()
    }

    pub fn kill(mut self) -> i32 {
        let id = self.id();
        self.0.kill().unwrap();
        self.0.wait().unwrap();
        id
    }

    pub fn expect_success(mut self) {
        assert!(self.0.wait().unwrap().success());
    }

    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A victim that has come so far is killed; its process id.
pub fn kill_one(victim: &str, name: &Name) -> i32 {
    Process::start(victim, name).kill()
}

pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "not so after a minute: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Is that thread of this process asleep?
pub fn is_asleep(thread: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('S'))
}

pub fn thread_id() -> i32 {
    // SAFETY: it only returns a number.
    unsafe { libc::gettid() }
}

/// A small generator (Marsaglia's xorshift), so that a failure can be repeated.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}
