#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boots Debian's kernels under QEMU, without KVM, with jitbench as PID 1, and looks at what comes out of the console.

    boot.py [--arch x86_64|aarch64] [--jobs N] [--keep DIR] PROGRAM [BOOT...]

Kernels are Debian packages, fetched by an apt configuration of our own, which leaves the system's alone, and cached
in $XDG_CACHE_HOME/jitbench. Where they or QEMU cannot be had, the boots are skipped with the reason. The recipes of
man/jitbench-init.1 (initramfs, kernel lines, sed, cksum) are taken from the page and run as they stand there.
"""
import argparse
import calendar
import concurrent.futures
import csv
import io
import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests"))
sys.dont_write_bytecode = True
from runner import Failure, Skip, expect, need, tell  # noqa: E402 pylint: disable=wrong-import-position

PAGE = os.path.join(TOP, "man", "jitbench-init.1")
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "jitbench", "boot")
KERNELS = {
    "x86_64": {"cloud": "linux-image-cloud-amd64", "rt": "linux-image-rt-amd64",
               "newer": "linux-image-cloud-amd64-backports"},
    "aarch64": {"cloud": "linux-image-cloud-arm64"},
}
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}
# One thread for all emulated CPUs: with a thread for each, QEMU 7.2 sometimes keeps a translation of the breakpoint that the
# kernel puts into its own code for a moment when it patches it, and the machine stands still.
QEMU = {
    "x86_64": ["qemu-system-x86_64", "-machine", "pc", "-accel", "tcg,thread=single", "-cpu", "max"],
    "aarch64": ["qemu-system-aarch64", "-machine", "virt", "-accel", "tcg,thread=single", "-cpu", "max,pauth-impdef=on"],
}
CONSOLE = {"x86_64": "ttyS0", "aarch64": "ttyAMA0"}
VIRTIO = ["virtio", "virtio_ring", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci", "virtio_blk"]
HOG_PERCENT = 100 * 0.03 / 0.73  # share of the CPU that upset=hog takes
QUICK = "prime --quick -n 10K --samples 2"
SUITES = ["noise", "wakeup", "prime", "memory", "stream", "unix", "latency"]
TABLES = ["Noise, the quietest CPU first", "Wake-up latency in us: SCHED_FIFO 80", "Prime loop: all runs together",
          "Memory level", "STREAM-style bandwidth", "System Benchmarks Partial Index",
          "Simulated tasks"]


# --- Kernels.

def run(command, **how):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how).stdout


def apt(arch, backports):
    """Options that make apt-get and apt-cache use files of our own, and that architecture; backports: "-backports" or ""."""
    base = os.path.join(CACHE, "apt-" + arch + backports)
    for folder in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(base, folder), exist_ok=True)
    with open(os.path.join(base, "status"), "w", encoding="ascii"):
        pass
    options = {"Dir::State::Lists": base + "/lists", "Dir::Cache": base + "/cache", "Dir::State::status": base + "/status",
               "APT::Architecture": DEBIAN[arch], "APT::Architectures::": DEBIAN[arch], "APT::Sandbox::User": "root"}
    if backports:
        with open("/etc/os-release", encoding="utf-8") as system, open(base + "/sources.list", "w", encoding="utf-8") as file:
            suite = "".join(re.findall("^VERSION_CODENAME=(.*)", system.read(), re.M)) + backports
            file.write("deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
                       f"http://deb.debian.org/debian {suite} main\n")
        options.update({"Dir::Etc::sourcelist": base + "/sources.list", "Dir::Etc::sourceparts": "-"})
    return [word for name, value in options.items() for word in ("-o", f"{name}={value}")]


def fetch_kernel(arch, meta, folder):
    name, backports, _ = meta.partition("-backports")
    options = apt(arch, backports)
    with tempfile.TemporaryDirectory(dir=CACHE) as temporary:
        subprocess.run(["apt-get", *options, "-q", "update"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=300, check=False)
        depends = re.findall(r"Depends: (linux-image-\S+)", run(["apt-cache", *options, "depends", name]))
        expect(depends, f"{meta} depends on no kernel")
        run(["apt-get", *options, "-q", "download", depends[0].split(":")[0]], cwd=temporary, timeout=600)
        package = [name for name in os.listdir(temporary) if name.endswith(".deb")][0]
        run(["dpkg", "-x", package, "tree"], cwd=temporary)
        tree = os.path.join(temporary, "tree")
        made = os.path.join(temporary, "made")
        os.makedirs(os.path.join(made, "modules"))
        boot = os.path.join(tree, "boot")
        shutil.copy(os.path.join(boot, [n for n in os.listdir(boot) if n.startswith("vmlinuz")][0]), made + "/vmlinuz")
        for place, _, files in os.walk(os.path.join(tree, "lib", "modules")):
            for name in files:
                if name.split(".")[0] in VIRTIO:
                    shutil.copy(os.path.join(place, name), made + "/modules")
        os.rename(made, folder)


def kernel(arch, flavour):
    meta = KERNELS[arch][flavour]
    folder = os.path.join(CACHE, meta)
    if not os.path.exists(folder):
        os.makedirs(CACHE, exist_ok=True)
        try:
            fetch_kernel(arch, meta, folder)
        except (Failure, OSError, IndexError, subprocess.SubprocessError) as error:
            detail = (getattr(error, "stderr", "") or "").strip().splitlines()
            raise Skip(f"no kernel {meta}: {detail[-1] if detail else error}") from error
    return folder


def release(folder):
    """What `uname -r` says of a kernel, from its image."""
    with open(folder + "/vmlinuz", "rb") as file:
        image = file.read(1 << 16)
    at = int.from_bytes(image[0x20e:0x210], "little") + 0x200  # the boot protocol's kernel_version
    return image[at:at + 100].split(b" ")[0].decode()


# --- What the man page tells the user to type.

def unescape(line):
    return line.replace("\\er", "\\r").replace("\\(dq", '"').replace("\\-", "-").replace("\\e", "\\")


def page_lines():
    with open(PAGE, encoding="utf-8") as file:
        return [unescape(line.rstrip("\n")) for line in file]


def page_command(begins):
    found = [line[4:] for line in page_lines() if line.startswith(".Dl " + begins)]
    expect(len(found) == 1, f"the page has {len(found)} lines that begin with '{begins}'")
    return found[0].removeprefix("$ ")


def page_block(word):
    """The literal block that holds the word."""
    blocks = re.split(r"\.Bd -literal.*\n", "\n".join(page_lines()))[1:]
    found = [block.split(".Ed")[0] for block in blocks if word in block.split(".Ed")[0]]
    expect(len(found) == 1, f"the page has {len(found)} blocks with '{word}'")
    return re.sub(r"^\$ ", "", found[0], flags=re.M)


# --- A machine.

class Machine:
    """One boot: its folder, its QEMU, and what its console shows."""

    def __init__(self, test, flavour="cloud", memory=128, cpus=1, limit=120, name=""):
        """name: of a folder of its own, for all but the first machine of a test."""
        self.arch, self.program, self.folder = test.arch, test.program, os.path.join(test.folder, name)
        os.makedirs(self.folder, exist_ok=True)
        self.kernel = kernel(self.arch, flavour)
        self.memory, self.cpus = memory, cpus
        self.until = time.monotonic() + limit
        self.more = []
        self.initramfs = None
        self.process = None
        self.keyboard, self.screen = -1, None
        self.log = os.path.join(self.folder, "console.log")

    def use_recipe(self):
        """The initramfs as the page makes it."""
        shutil.copy(self.program, os.path.join(self.folder, "jitbench"))
        run(["sh", "-ec", page_block("cpio")], cwd=self.folder)
        self.initramfs = os.path.join(self.folder, "initramfs.gz")

    def use_files(self, name="init", **files):
        """An initramfs with the program as /init and these files; content that is None is a copy of the modules, and
        what begins with "/" the path of a file to copy. With another name of the program upset.c is /init."""
        root = os.path.join(self.folder, "root")
        os.makedirs(root)
        shutil.copy(self.program, os.path.join(root, name))
        if name != "init":
            build_upset(os.path.join(root, "init"))
        for name, content in files.items():
            if content is None:
                shutil.copytree(os.path.join(self.kernel, "modules"), os.path.join(root, name))
            elif content.startswith("/"):
                os.makedirs(root + os.path.dirname(name), exist_ok=True)
                shutil.copy(content, root + name)
            else:
                with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                    file.write(content)
        self.initramfs = os.path.join(self.folder, "initramfs.gz")
        run(["sh", "-ec", "find . | cpio -o -H newc | gzip -1 >../initramfs.gz"], cwd=root)

    def start(self, line):
        """Boots the kernel with that command line; with an empty one, what the machine finds on its drives."""
        if not self.initramfs and "root=" not in line:
            self.use_files()
        # Without KVM the check of the timer fails at times on a busy host.
        head = "panic=-1 no_timer_check "
        if "console=" not in line:
            head += f"console={CONSOLE[self.arch]} "
        # A socket with a log would do, but QEMU repeats in the log what it has sent in parts.
        pipe = os.path.join(self.folder, "console")
        os.mkfifo(pipe + ".in")
        os.mkfifo(pipe + ".out")
        self.keyboard = os.open(pipe + ".in", os.O_RDWR)
        self.screen = threading.Thread(target=self.read_console, args=[os.open(pipe + ".out", os.O_RDWR)],
                                       daemon=True)
        self.screen.start()
        from_kernel = ["-kernel", self.kernel + "/vmlinuz", "-append", head + line] if line else []
        command = QEMU[self.arch] + [
            "-m", str(self.memory), "-smp", str(self.cpus), "-display", "none", "-no-reboot", "-nic", "none",
            "-chardev", f"pipe,id=console,path={pipe}",
            "-serial", "chardev:console", "-monitor", f"unix:{self.folder}/monitor,server=on,wait=off",
            *from_kernel, *self.more]
        if self.initramfs and line:
            command += ["-initrd", self.initramfs]
        with open(os.path.join(self.folder, "qemu.log"), "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def read_console(self, pipe):
        """Until QEMU has ended and all it wrote is read."""
        with open(self.log, "wb", buffering=0) as log:
            while True:
                ended = self.process is not None and self.process.poll() is not None
                if select.select([pipe], [], [], 0 if ended else 0.1)[0]:
                    log.write(os.read(pipe, 65536))
                elif ended:
                    break
        os.close(pipe)

    def shown(self):
        try:
            with open(self.log, "rb") as file:
                return file.read().decode("utf-8", "replace").replace("\r", "")
        except FileNotFoundError:
            return ""

    def wait_shown(self, text):
        while text not in self.shown():
            expect(self.process.poll() is None, f"QEMU has ended before '{text}' was shown")
            expect(time.monotonic() < self.until, f"'{text}' has not been shown in time")
            time.sleep(0.1)

    def press(self, keys):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(os.path.join(self.folder, "monitor"))
            connection.recv(4096)
            connection.sendall(b"sendkey " + keys.encode() + b"\n")
            time.sleep(0.5)

    def type(self, data):
        os.write(self.keyboard, data)

    def wait_end(self):
        """Waits until QEMU ends by itself, which it does when the machine powers off or restarts."""
        try:
            status = self.process.wait(max(self.until - time.monotonic(), 1))
        except subprocess.TimeoutExpired as error:
            raise Failure("the machine has not ended in time") from error
        expect(status == 0, f"QEMU has ended with status {status}")
        self.screen.join()
        return self.look()

    def look(self):
        shown = self.shown()
        for trouble in ("Kernel panic", "segfault", "BUG:", "Oops"):
            expect(trouble not in shown, f"'{trouble}' on the console")
        return shown

    def says(self, *texts):
        for text in texts:
            expect(text in self.shown(), f"'{text}' is not on the console")

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.keyboard >= 0:
            if self.process:
                self.screen.join()
            os.close(self.keyboard)
            self.keyboard = -1

    def rows(self):
        """The rows of the CSV on the console, cut out and checked as the page says."""
        run(["sh", "-ec", page_block("BEGIN JITBENCH CSV")], cwd=self.folder)
        sums = run(["sh", "-ec", page_command("$ cksum ")], cwd=self.folder).splitlines()
        expect(len(sums) == 2 and f", cksum {sums[0].strip()}-----" in sums[1], f"the checksums differ: {sums}")
        with open(os.path.join(self.folder, "result.csv"), newline="", encoding="utf-8") as file:
            return read_rows(file.read())


def read_rows(text):
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    expect(text.endswith("\r\n") and rows, "the CSV is empty or not whole")
    for row in rows:
        expect(None not in row and None not in row.values(), "a row has more or fewer fields than the header")
        # QEMU's CPUs take turns of a tenth of a second: a hand-over from one to the other takes as long.
        late = row["test"] == "cores" and row["reason"].startswith("not done within")
        expect(row["schema"] == "2" and (row["status"] in ("ok", "unstable", "degraded", "skipped") or late),
               f"{row['test']} {row['metric']} is '{row['status']}': {row['reason']}")
        if row["status"] in ("ok", "unstable") and row["test"] not in ("index", "levels", "worst"):
            expect(row["policy"] and row["cpus"], f"{row['test']} {row['metric']} does not say where it ran")
    return rows


def expect_all(shown, rows, cpus):
    for table in TABLES:
        expect(table in shown, f"no '{table}' on the console")
    expect(sorted({row["suite"] for row in rows}) == sorted(SUITES), "not all suites are in the CSV")
    expect({row["cpus_online"] for row in rows} == {str(cpus)}, f"not {cpus} CPUs in the CSV")


# --- Disks, made and read without being mounted.

def make_disk(test, name, content=None, megabytes=24):
    path = os.path.join(test.folder, name)
    with open(path, "wb") as file:
        file.truncate(megabytes << 20)
    run(["mke2fs", "-q", "-t", "ext4", *(["-d", content] if content else []), path])
    return path


def debugfs(disk, command):
    return run(["debugfs", "-R", command, disk])


def disk_is_clean(disk):
    """Whether nothing of its journal is left to be replayed, as it is after an orderly end."""
    state = run(["dumpe2fs", "-h", disk])
    return "needs_recovery" not in state and "Filesystem state:         clean" in state


def check_disk(disk):
    expect(disk_is_clean(disk), "the file system is not clean")
    run(["e2fsck", "-fn", disk])


def read_disk(test, disk, path):
    check_disk(disk)
    target = os.path.join(test.folder, "from-disk")
    debugfs(disk, f"dump {path} {target}")
    with open(target, newline="", encoding="utf-8") as file:
        return file.read()


def virtio(disk, name="disk"):
    return ["-drive", f"file={disk},format=raw,if=none,id={name}", "-device", f"virtio-blk-pci,drive={name}"]


def lifetime_writes(disk):
    """Total written to the file system, in MB."""
    kilobytes = {"kB": 1, "MB": 1000, "GB": 1000000}
    number, unit = re.search(r"Lifetime writes: +(\d+) (\w+)", run(["dumpe2fs", "-h", disk])).groups()
    return int(number) * kilobytes[unit] / 1000


# --- The boots.

def boot_recipe(test):
    """All suites on one CPU and 128 MiB, by the page's initramfs and kernel line."""
    machine = test.machine(limit=240)
    machine.use_recipe()
    append = re.search(r"APPEND (.*)", page_block("APPEND")).group(1)
    machine.start("quiet " + append.replace("ttyS0", CONSOLE[test.arch]))
    shown = machine.wait_end()
    rows = machine.rows()
    expect_all(shown, rows, 1)
    expect({row["host"] for row in rows} == {"box17"}, "hostname= is not in the CSV")
    machine.says("Power down")


def boot_rt(test):
    """All suites on two CPUs of the PREEMPT_RT kernel."""
    machine = test.machine(flavour="rt", memory=256, cpus=2, limit=240)
    # This kernel takes the interrupts of QEMU's serial port for spurious ones under much output, and switches them off.
    machine.start('quiet noirqdebug jitbench.run="all --quick --samples 1" jitbench.end=poweroff')
    shown = machine.wait_end()
    rows = machine.rows()
    expect_all(shown, rows, 2)
    expect(all("PREEMPT_RT" in row["kernel"] for row in rows), "not the PREEMPT_RT kernel")


def boot_iso(test):
    """The page's recipe for a CD: GRUB on an ISO image starts kernel and initramfs."""
    need("grub-mkrescue", "xorriso", "mformat")
    machine = test.machine(memory=256, limit=180)
    machine.use_recipe()
    shutil.copy(machine.kernel + "/vmlinuz", test.folder)
    recipe = page_block("grub-mkrescue")
    expect("all --quick" in recipe, "the recipe is another")
    run(["sh", "-ec", recipe.replace("all --quick", QUICK)], cwd=test.folder)
    machine.more = ["-cdrom", os.path.join(test.folder, "jitbench.iso")]
    machine.start("")
    machine.wait_end()
    machine.says(f"jitbench init: runs {QUICK}\n", "Power down")
    expect({row["test"] for row in machine.rows()} == {"prime"}, "not the rows of prime")


def boot_virtio(test):
    """The CSV goes to a virtio disk, whose driver is a module; settings are tuned."""
    machine = test.machine()
    disk = make_disk(test, "disk")
    machine.use_files(modules=None)
    machine.more = virtio(disk)
    machine.start(f'quiet jitbench.modules=/modules jitbench.run="{QUICK}" jitbench.tune=yes '
                  "jitbench.out=/dev/vda:/result.csv jitbench.end=poweroff")
    shown = machine.wait_end()
    machine.says("jitbench init: CSV written to /dev/vda:/result.csv")
    expect("BEGIN JITBENCH CSV" not in shown, "the CSV is on the console too")
    expect(re.search(r"^Tuned     \d+ settings? changed", shown, re.M), "not tuned")
    rows = read_rows(read_disk(test, disk, "/result.csv"))
    expect({row["test"] for row in rows} == {"prime"}, "not the rows of prime")
    # Idle states are not for every machine to hold off; what was asked for is in the row in any case.
    expect({row["timer_latency_held"] for row in rows} <= {"yes", "no"}, "timer_latency_held is not known")


def modules_dep(folder):
    """As depmod writes it: a line for each module, with all that it needs, each before those that it needs itself."""
    needs, lines = {}, ""
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            needs[name.split(".")[0]] = re.search(rb"\0depends=([^\0]*)\0", file.read())[1].decode().split(",")
    for name in needs:
        order, rest = [], [name]
        while rest:
            one = rest.pop(0)
            order = [each for each in order if each != one] + [one]
            rest += [each for each in needs.get(one, []) if each]
        lines += " ".join([f"./{order[0]}.ko:"] + [f"./{each}.ko" for each in order[1:]]) + "\n"
    return lines


def boot_modules(test):
    """The driver of the CSV's disk by its name, with the modules it needs; one that is not there is named."""
    machine = test.machine()
    disk = make_disk(test, "disk")
    folder = f"lib/modules/{release(machine.kernel)}"
    machine.use_files(**{folder: None, folder + "/modules.dep": modules_dep(machine.kernel + "/modules")})
    machine.more = virtio(disk)
    machine.start(f'quiet jitbench.modules=absent,virtio_pci,virtio-blk jitbench.run="{QUICK} -o %k.csv" jitbench.out=vda:/ '
                  "jitbench.end=poweroff")
    machine.wait_end()
    machine.says(f"jitbench init: 1 kernel module not loaded (absent: not in /{folder}/modules.dep)", "init=jitbench")
    rows = read_rows(read_disk(test, disk, f"/{release(machine.kernel)}.csv"))
    expect(all(";init=jitbench;" in row["settings"] and 0 < float(row["uptime_s"]) < 300 for row in rows), "how it was booted")


def boot_boots(test):
    """The page's script boots a kernel twice, and makes a page of both runs."""
    machine = test.machine(limit=240)
    machine.use_recipe()
    script = page_block("boots=$1")
    expect("all --thesis" in script, "the recipe is another")
    with open(os.path.join(test.folder, "boots.sh"), "w", encoding="utf-8") as file:
        file.write(script.replace("all --thesis", QUICK))
    env = {**os.environ, "PATH": f"{test.folder}:{os.environ['PATH']}"}
    run(["sh", "-e", "boots.sh", "2", machine.kernel + "/vmlinuz"], cwd=test.folder, env=env, timeout=240)
    ids = set()
    for boot in (1, 2):
        with open(os.path.join(test.folder, f"{release(machine.kernel)}-{boot}.csv"), newline="", encoding="utf-8") as file:
            ids |= {row["run_id"] for row in read_rows(file.read())}
    expect(len(ids) == 2, f"runs are {ids}")
    expect([name for name in os.listdir(test.folder) if name == "boots.html"], "no page")


def boot_scratch(test):
    """Scratch files are on a virtio disk: audio's latency beside a load that writes to it, and file tests."""
    machine = test.machine(memory=160, limit=180)
    disk = make_disk(test, "disk", megabytes=128)
    before = lifetime_writes(disk)
    machine.use_files(modules=None)
    machine.more = virtio(disk)
    # The loops need no calibration here: the loads are what is of interest.
    machine.start('quiet jitbench.modules=/modules jitbench.scratch=vda:/bench/scratch jitbench.end=poweroff '
                  'jitbench.run="latency audio -w write,read -t 3s --loops-per-ms 20000"')
    machine.wait_end()
    machine.says("jitbench init: scratch files go to /dev/vda:/bench/scratch (ext4)")
    rows = machine.rows()
    latency = {row["load"]: row for row in rows if row["metric"] == "latency"}
    expect(sorted(latency) == ["read", "write"], f"loads are {sorted(latency)}")
    for load, row in latency.items():
        expect(row["scratch_fs"] == "ext4", f"{load}: scratch_fs is {row['scratch_fs']}")
        expect("is not a disk" not in row["reason"], f"{load}: {row['reason']}")
        expect(float(row["value"]) > 0, f"{load}: latency is {row['value']}")
    check_disk(disk)
    expect(lifetime_writes(disk) > before + 8, f"{lifetime_writes(disk) - before} MB were written to the disk")
    expect("jitbench" not in debugfs(disk, "ls -p /bench/scratch"), "something was left in the folder")


def boot_no_overwrite(test):
    """A file of that name is on the disk already; the disk for scratch files has no file system."""
    machine = test.machine()
    content = os.path.join(test.folder, "content")
    os.makedirs(content)
    with open(os.path.join(content, "result.csv"), "w", encoding="ascii") as file:
        file.write("mine\n")
    disk = make_disk(test, "disk", content)
    machine.use_files(modules=None)
    blank = os.path.join(test.folder, "blank")
    with open(blank, "wb") as file:
        file.truncate(1 << 20)
    machine.more = virtio(disk) + virtio(blank, "blank")
    machine.start(f'quiet jitbench.modules=/modules "jitbench.run={QUICK}" jitbench.out=vda:result.csv '
                  "jitbench.scratch=vdb:/a jitbench.end=poweroff")
    machine.wait_end()
    machine.says("jitbench init: out: /dev/vda:/result.csv: the file exists; jitbench never overwrites",
                 "jitbench init: scratch: /dev/vdb:/a: not a file system that this kernel knows; ")
    machine.rows()
    expect(read_disk(test, disk, "/result.csv") == "mine\n", "the file has changed")


def make_root_disk(test, machine):
    """A root file system with nothing but the program and empty folders."""
    content = os.path.join(test.folder, "content")
    for folder in ("proc", "sys", "dev", "tmp", "root"):
        os.makedirs(os.path.join(content, folder))
    shutil.copy(test.program, os.path.join(content, "jitbench"))
    disk = make_disk(test, "disk", content)
    machine.more = ["-drive", f"file={disk},format=raw,if=none,id=disk", "-device", "nvme,drive=disk,serial=1"]
    return disk


def boot_root_disk(test):
    """The page's line for GRUB: the root file system is on a disk, mounted read-only, and takes scratch files and CSV."""
    machine = test.machine()
    disk = make_root_disk(test, machine)
    # GRUB puts the quotes around the whole word.
    line = " ".join(page_block("init=/jitbench").split("\n")).replace("sda1", "nvme0n1")
    files = "unix fcopy256 --quick -c 1 --samples 2"
    line = line.replace('jitbench.run="all --quick"', f'"jitbench.run={files}"')
    expect(files in line and line.count("nvme0n1:") == 2, "the page's line for GRUB is another")
    machine.start("root=/dev/nvme0n1 ro quiet splash " + line)
    shown = machine.wait_end()
    written = re.search(r"jitbench init: CSV written to /dev/nvme0n1:(/root/jitbench-\S+\.csv)", shown)
    expect(written, "not written")
    machine.says("Restarting system")
    rows = read_rows(read_disk(test, disk, written.group(1)))
    expect({row["scratch_fs"] for row in rows if row["test"] == "fcopy256"} == {"ext4"}, "files were not on the disk")
    for folder in ("/tmp", "/var/tmp"):
        expect("jitbench" not in debugfs(disk, "ls -p " + folder), "something was left on the disk")


def boot_root_written(test):
    """The root file system is mounted to be written: Ctrl-Alt-Del leaves it as after an orderly end."""
    machine = test.machine()
    disk = make_root_disk(test, machine)
    machine.start('root=/dev/nvme0n1 rw quiet init=/jitbench jitbench.run=list')
    machine.wait_shown("Ctrl-Alt-Del restarts the machine")
    expect(not disk_is_clean(disk), "the disk is not mounted to be written")
    machine.press("ctrl-alt-delete")
    machine.wait_end()
    machine.says("Restarting system")
    check_disk(disk)


def boot_without_proc(test):
    """80 MiB, and /proc cannot be mounted: words behind -- in the argument vector."""
    machine = test.machine(memory=80)
    machine.use_files(proc="")
    machine.start(f"quiet nosplash -- {QUICK} jitbench.end=poweroff")
    machine.wait_end()
    machine.says("jitbench init: /proc is missing and cannot be mounted: Not a directory", f"jitbench init: runs {QUICK}\n",
                 "Unknown   /proc not mounted")
    machine.rows()


def boot_crash(test):
    """The run is killed half-way, by the kernel's SysRq-i."""
    machine = test.machine()
    machine.start('quiet sysrq_always_enabled jitbench.run="all --quick" jitbench.end=poweroff')
    machine.wait_shown("stream array")
    machine.press("alt-sysrq-i")
    machine.wait_end()
    machine.says("jitbench init: the run crashed: ended by signal 9 (Killed)", "Power down")
    expect({row["suite"] for row in machine.rows()} >= {"noise", "prime"}, "finished rows are lost")


def boot_memory_nodes(test):
    """On two memory nodes, memory nodes has figures for two by two; move_pages says that the memory is where it was asked for."""
    machine = test.machine(memory=512, cpus=2)
    for node in ("0", "1"):
        machine.more += ["-object", f"memory-backend-ram,size=256M,id=memory{node}",
                         "-numa", f"node,nodeid={node},cpus={node},memdev=memory{node}"]
    machine.start('quiet jitbench.end=poweroff jitbench.run="memory nodes --quick --max-size 4M"')
    machine.wait_end()
    machine.says("Memory nodes: one CPU's loads and readings")
    rows = machine.rows()
    for metric in ("node_latency", "node_bandwidth"):
        of = {tuple(re.search(f"{end}_node=(\\d)", row["param"]).group(1) for end in ("from", "to")): row
              for row in rows if row["metric"] == metric}
        expect(sorted(of) == [("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")], f"{metric} is of {sorted(of)}")
        for (cpu_node, _), row in of.items():
            expect(float(row["value"]) > 0 and row["cpus"] == cpu_node, f"{metric} of {row['param']} on CPU {row['cpus']}")


def boot_latency_today(test):
    """A task that compares schedulers, on two and on all of four CPUs."""
    machine = test.machine(memory=256, cpus=4, limit=180)
    machine.start('quiet jitbench.end=poweroff jitbench.run="latency requests -w none,burn2 -t 2s --loops-per-ms 20000 '
                  '--sweep-cpus 2,4"')
    machine.wait_end()
    rows = [row for row in machine.rows() if row["metric"] == "latency"]
    seen = sorted((row["load"], row["cpus"], re.search(r" cpus=(\d)", row["param"]).group(1)) for row in rows)
    expect([of for of in seen if of[2] == "4"] == [("burn2", "0-3", "4"), ("none", "0-3", "4")] and len(seen) == 4 and
           not any(of[1] == "0-3" for of in seen if of[2] == "2"), f"they ran on {seen}")
    expect(all(float(row["value"]) > 0 for row in rows), "no latency")


def expect_ended(machine):
    machine.says("jitbench init: the run ended with status 130")
    rows = machine.rows()
    expect({row["suite"] for row in rows} >= {"noise", "prime"}, "finished rows are lost")
    expect(any(row["reason"].startswith("ended by SIGINT") for row in rows), "no row says why it ended")


def boot_ctrl_alt_del(test):
    """Ctrl-Alt-Del ends the run, the CSV is handed over, and the machine restarts."""
    machine = test.machine()
    machine.start('quiet jitbench.run="all --quick"')
    machine.wait_shown("stream array")
    machine.press("ctrl-alt-delete")
    machine.wait_end()
    machine.says("jitbench init: ending the run", "Restarting system")
    expect_ended(machine)


def boot_ctrl_c(test):
    """Ctrl-C on the console ends the run; then the machine halts."""
    machine = test.machine()
    machine.start('quiet jitbench.run="all --quick" jitbench.end=halt')
    machine.wait_shown("stream array")
    machine.type(b"\x03")
    machine.wait_shown("System halted")
    machine.look()
    expect_ended(machine)


def boot_wrong_orders(test):
    """Wrong orders are named, nothing is run, and without an end the machine stays until Ctrl-Alt-Del."""
    machine = test.machine()
    machine.start("quiet jitbench.frob=1 jitbench.end=never jitbench.out=sda -- prim")
    machine.wait_shown("Ctrl-Alt-Del restarts the machine")
    shown = machine.look()
    lines = [line for line in shown.splitlines() if line.startswith("jitbench init: nothing was run: ")]
    expect(len(lines) == 1, "not one line")
    for wrong in ("unknown order 'jitbench.frob'", "jitbench.end: 'never'", "out must be DEVICE:PATH",
                  "unknown command 'prim'"):
        expect(wrong in lines[0], f"'{wrong}' is not named: {lines[0]}")
    machine.press("ctrl-alt-delete")
    machine.wait_end()
    machine.says("Restarting system")


def boot_no_shell(test):
    """There is no shell, and no device for the CSV either."""
    machine = test.machine()
    machine.start(f'quiet jitbench.run="{QUICK}" jitbench.out=sdz9:/a.csv '
                  'jitbench.scratch=sdz9:/a jitbench.end=shell')
    machine.wait_shown("System halted")
    machine.look()
    machine.says("jitbench init: out: /dev/sdz9: No such file or directory; the CSV will follow on the console",
                 "jitbench init: scratch: /dev/sdz9:/a: No such file or directory; ", "jitbench init: no shell here: there is no /bin/sh")
    machine.rows()


CHECKED = ["isolated", "nohz_full", "rcu_nocbs", "kthread_cpus", "irqaffinity"]


def check_json(test, name, line):
    """Result of `check` for CPUs 1 and 2 of a machine booted with these words: states by item, advice by name."""
    machine = test.machine(cpus=3, name=name)
    machine.start(f'quiet {line} jitbench.run="check --cpus 1,2 --json" jitbench.end=poweroff')
    shown = machine.wait_end()
    found = re.search(r'\{"bench_cpus".*?\]\}\n', shown, re.S)
    expect(found, "no JSON on the console")
    found = json.loads(found.group(0))
    return {i["id"]: i["state"] for i in found["items"]}, {a["about"]: a["command"] for a in found["advice"]}


def boot_check_line(test):
    """The kernel line that `check` advises, pasted into a second boot, makes the same check say ok for what it named."""
    states, advice = check_json(test, "", "")
    line = advice.get("boot", "")
    expect(re.fullmatch("isolcpus=managed_irq,domain,1-2 nohz_full=1-2 rcu_nocbs=1-2 irqaffinity=0", line),
           f"it advises '{line}'")
    expect({states[item] for item in CHECKED} == {"noisy"}, f"before: {states}")
    states, advice = check_json(test, "second", line)
    expect({states[item] for item in CHECKED} == {"ok"}, f"after: {states}")
    expect("boot" not in advice, "it still advises a line")


# --- Machines that are upset while it measures. upset.c is the first process there, and the run its child.

def build_upset(path):
    source = os.path.join(TOP, "tests", "boot", "upset.c")
    run([os.environ.get("CC", "gcc"), "-std=c99", "-D_GNU_SOURCE", "-O2", "-static", "-o", path, source])


def run_upset(test, how, words):
    machine = test.machine(memory=256, cpus=2, limit=240)
    machine.use_files(name="jitbench")
    machine.start(f"quiet upset={how} -- {words}")
    shown = machine.wait_end()
    told = re.search(rf"upset: {how} (\d+) times, status (\d+)", shown)
    expect(told, "it has not come to an end")
    expect(int(told.group(1)) >= 3, f"upset only {told.group(1)} times")
    expect(f"upset: {how}: " not in shown, "the machine could not be upset")
    expect(told.group(2) == "0", f"status {told.group(2)}")
    return machine.rows()


def boot_clock_set_back(test):
    """The time of day is set back by an hour again and again: no row notices."""
    began = time.time()
    rows = run_upset(test, "clock", "latency audio video -w none,burn -t 1s -i 2 --loops-per-ms 20000")
    expect(len({(row["test"], row["load"]) for row in rows}) == 4, "rows are missing")
    for row in rows:
        expect(row["status"] in ("ok", "unstable"), f"{row['test']}: {row['status']}: {row['reason']}")
        expect(1 < float(row["wall_s"]) < 30, f"{row['test']}: wall_s is {row['wall_s']}")
        at = calendar.timegm(time.strptime(row["utc"], "%Y-%m-%dT%H:%M:%SZ"))
        expect(abs(at - began) < 300, f"utc is {row['utc']}, not the start of the run")


def boot_cpu_unplugged(test):
    """CPU 1 is taken offline and online repeatedly: tests that ran on it are degraded with the reason, and nothing hangs."""
    rows = run_upset(test, "cpu", "unix pipe syscall -t 2s -i 2 -c 2")
    expect({row["test"] for row in rows} >= {"pipe", "syscall"}, "rows are missing")
    told = {row["reason"] for row in rows if row["status"] == "degraded"}
    expect(any("offline" in reason for reason in told), f"no row tells of the CPU: {told}")


# --- Detours, against the trace of the kernel that runs there.

def libraries(*programs):
    """Those that they need, for use_files()."""
    return {path: path for path in re.findall(r"(/\S+) \(0x", run(["ldd", *programs]))}


def run_test(test, name, flavour, words=""):
    """Runs a test as the only program of that kernel, on one CPU, with these words on the kernel's line. The machine's
    time is that of its instructions (-icount): a host that is busy, or has the same tick, would be in the detours.
    Returns what the test shows, and whether it has passed."""
    program = os.path.join(TOP, os.environ.get("BUILD", "build"), name)
    if not os.path.exists(program):
        raise Skip(f"there is no {program}")
    machine = test.machine(flavour=flavour, memory=256, limit=600)
    machine.use_files(name="jitbench", **{"/test": program}, **libraries(program))
    machine.more = ["-icount", "shift=1"]
    machine.start(f"quiet upset=no program=/test JITBENCH=/jitbench {words}")
    shown = machine.wait_end()
    return shown, "upset: no 0 times, status 0" in shown


def boot_trace(test, flavour="cloud"):
    """By the trace of the kernel, noise finds 95 % of the detours with a tick, and 95 % of those found are the timer's."""
    shown, passed = run_test(test, "unit/test_noise_trace", flavour)
    told = re.search(r"of (\d+) detours with a tick .*", shown)
    expect(told and passed and int(told.group(1)) >= 200, f"the unit test fails, or counts too few: {told and told.group(0)}")


def boot_trace_rt(test):
    """As trace, on the PREEMPT_RT kernel."""
    boot_trace(test, "rt")


def boot_who(test, flavour="cloud"):
    """By the trace of the kernel, --who gives each task at least 95 % of its time, and finds the interrupts."""
    shown, passed = run_test(test, "unit/test_who_trace", flavour)
    told = re.findall(r".* by the trace, .*", shown)
    expect(passed and len(told) >= 4, f"the unit test fails, or not everybody was compared: {told}")


def boot_who_rt(test):
    """As who, on the PREEMPT_RT kernel."""
    boot_who(test, "rt")


def boot_without_tracefs(test):
    """In a kernel that is locked down tracefs is empty: --who says so, and names the tasks all the same."""
    machine = test.machine(memory=256, limit=600)
    machine.use_files(name="jitbench")
    machine.more = ["-icount", "shift=1"]
    machine.start("quiet lockdown=confidentiality upset=hog -- noise --who -t 20")
    shown = machine.wait_end()
    told = re.search(r"upset: hog \d+ times, status (\d+)", shown)
    expect(told and told.group(1) == "0", "it has not come to an end")
    rows = [row for row in machine.rows() if row["test"] == "who"]
    expect("interrupts and work items are not known: tracefs" in rows[0]["reason"], f"reason: {rows[0]['reason']}")
    taken = [float(row["value"]) for row in rows if row["metric"] == "taken" and "name=hog" in row["param"]]
    expect(len(taken) == 1 and 0.9 < taken[0] / HOG_PERCENT < 1.1, f"the hog took {taken} %")
    expect(not any("kind=softirq" in row["param"] for row in rows), "there are interrupts")


def boot_quota(test):
    """The test of quotas, with the cpu.max of a control group of version 2."""
    shown, passed = run_test(test, "cli/test_noise", "cloud", "TESTS=test_noise_tells_a_quota")
    expect(passed and "[       OK ] test_noise_tells_a_quota" in shown, "the test fails")


def boot_counters(test):
    """Events of an emulated PMU whose clock is the number of instructions: those of prime's work are exact."""
    machine = test.machine(limit=300)
    machine.more = ["-icount", "shift=0"]
    machine.start('quiet jitbench.end=poweroff '
                  'jitbench.run="prime --counters --limit 10:58:16 -n 2000 --samples 3 --core-probe off"')
    shown = machine.wait_end()
    expect(re.search(r"^prime +limit=10 +0 +\d+ +\d+ +\d+\.\d+ ", shown, re.M), "no table of events")
    rows = machine.rows()
    figures = {}
    for row in rows:
        if row["metric"] in ("instructions", "divisions"):
            values = set(row["samples"].split(";"))
            expect(row["samples"].count(";") == 2 and len(values) == 1, f"{row['metric']} differ: {row['samples']}")
            limit = int(re.search(r"limit=(\d+)", row["param"]).group(1))
            figures.setdefault(limit, {})[row["metric"]] = float(values.pop())
    expect(sorted(figures) == [10, 26, 42, 58], "not all limits were measured")
    # As many for each candidate, and as many for each division: two steps of the limit tell how many, which explains the
    # third to the instruction.
    steps = [{name: figures[limit + 16][name] - figures[limit][name] for name in figures[limit]} for limit in (10, 26, 42)]
    each = (steps[1]["instructions"] - steps[0]["instructions"]) / (steps[1]["divisions"] - steps[0]["divisions"])
    more = steps[1]["instructions"] + each * (steps[2]["divisions"] - steps[1]["divisions"])
    expect(each == int(each) > 1, f"{each} instructions for a division: {figures}")
    expect(steps[2]["instructions"] == more, f"the last step takes {steps[2]['instructions']}, not {more}: {figures}")
    for row in rows:
        events = dict(pair.split("=", 1) for pair in row["counters"].split(";"))
        for name in ("cycles", "instructions", "ipc", "task_clock_ms", "page_faults", "switches"):
            expect(float(events.get(name, "-1")) >= (name in ("cycles", "instructions")), f"{name} in {row['counters']}")
        expect(events.get("why") == "no PMU for them", f"{row['counters']}: QEMU's PMU has no misses")


def boot_judged(test):
    """run --judge instructions where they are counted: two runs of each decide, and equal commands do not differ."""
    machine = test.machine()
    machine.more = ["-icount", "shift=0"]
    machine.start('quiet jitbench.end=poweroff jitbench.run="run --judge instructions --core-probe off --name base,same,more '
                  '-- /init help prime -- /init help prime -- /init help latency"')
    shown = machine.wait_end()
    expect("no such counter" not in shown, "no counter of instructions")
    expect(re.search(r"^same: no difference of instructions larger than 0\.\d+ %, 2 runs of each", shown, re.M), "same: not said")
    expect(re.search(r"^more: instructions (is higher by|is [\d.]+ times)", shown, re.M), "more: not said")
    counted = {row["test"]: row["samples"].split(";") for row in machine.rows() if row["metric"] == "instructions"}
    expect({name: len(of) for name, of in counted.items()} == {"base": 2, "same": 2, "more": 2}, f"counted: {counted}")


# --- Sides that differ in what the kernel's documentation says.

SLICE, AUTOGROUP = "/sys/kernel/debug/sched/base_slice_ns", "/proc/sys/kernel/sched_autogroup_enabled"
# Task, load, options, the sides, and the verdicts on the task and on the load.
SIDES = [
    ("frame", "cmd:'setsid sh /load'", "--runs 3 -t 1s", "none,off", "slower", "higher"),
    ("input", "burn2", "--runs 5 -t 500ms", "short,long", "slower", "higher|no change seen"),
    ("audio-period", "burn2", "--runs 3 -t 500ms", "none,--fifo", "faster", "lower|no change seen"),
    ("input", "burn", "--runs 3 -t 500ms", "none,'--policy idle'", "slower", "higher"),
    ("input", "burn", "--runs 3 -t 500ms", "none,'--nice 19'", "slower", "higher"),
    ("frame", "burn", "--runs 3 -t 500ms --frame-rate unlocked", "none,'--load-weight 10 --load-limit 50%'",
     "not a gain: the load did", "lower"),
]


def boot_schedulers(test):
    """Two sides by turns on a CPU of four, of a kernel with EEVDF: each differs as documented, and so does the load."""
    known = [int(part) for part in release(kernel(test.arch, "cloud")).split(".")[:2]]
    machine = test.machine(flavour="cloud" if known >= [6, 6] else "newer", memory=256, cpus=4, limit=900)
    look = f"read -r slice <{SLICE}; read -r autogroup <{AUTOGROUP}; echo settings: $slice $autogroup /sys/fs/cgroup/.j*/"
    # What is measured first would be beside the end of the kernel's start.
    orders = ["cd /tmp; export PATH=/:/bin:/usr/bin NO_COLOR=1 COLUMNS=150", look, f"echo {SLICE}=1000000 >short",
              f"echo {SLICE}=20000000 >long", f"echo {AUTOGROUP}=0 >off", "jitbench latency input -w burn --no-csv -q --cpus 3 -t 500ms",
              *(f"echo Sides; jitbench latency {task} -w {load} {options} --interleave {sides} --cpus 3 --loops-per-ms 100000 -o {i}.csv"
                for i, (task, load, options, sides, *_) in enumerate(SIDES)),
              f"while read -r row; do echo \"$row\"; done <{len(SIDES) - 1}-b1.csv", look]
    work = "work() { i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; }; " + "work | " * 7 + "work"
    programs = ("/bin/sh", "/usr/bin/setsid")
    machine.use_files(name="jitbench", orders="\n".join(orders) + "\n", load=work + "\n",
                      **{each: each for each in programs}, **libraries(*programs))
    # With cmpxchg16b QEMU 7.2 sometimes has rubbish in the flags afterwards.
    machine.more = ["-icount", "shift=1", "-cpu", "max,-cx16"]
    machine.start("quiet console=ttyS0,115200 upset=no program=/bin/sh script=/orders")
    parts = machine.wait_end().split("\nSides\n")
    expect(len(parts) == len(SIDES) + 1, "not all were compared")
    for part, (task, load, _, sides, of_task, of_load) in zip(parts[1:], SIDES):
        for metric, verdict in ("(?:latency|frame_time)", of_task), ("load_rate", of_load):
            said = re.search(rf"^latency {task} {load.split(':')[0]} {metric} .*(?: %| x \d+)  (.*)$", part, re.M)
            expect(said and re.match(verdict, said[1]), f"{task}, {load}, {sides}: not '{verdict}' but {said and said[0]}")
        expect("and the load did" in part, f"{task}, {load}, {sides}: no price")
    settings = re.findall("^settings: (.*)", "".join(parts), re.M)
    expect(len(settings) == 2 and settings[0] == settings[1], f"settings and groups are {settings}")
    expect("load_weight=10 load_limit=50% " in parts[-1], "the load's group is another")


# The longest first.
BOOTS = {
    "x86_64": [boot_recipe, boot_schedulers, boot_rt, boot_trace_rt, boot_trace, boot_who_rt, boot_who, boot_quota, boot_without_tracefs, boot_clock_set_back, boot_cpu_unplugged,
               boot_no_shell, boot_check_line, boot_crash, boot_ctrl_alt_del, boot_ctrl_c, boot_scratch, boot_iso, boot_boots, boot_virtio, boot_modules,
               boot_no_overwrite, boot_memory_nodes, boot_latency_today, boot_root_disk, boot_root_written, boot_without_proc, boot_wrong_orders],
    "aarch64": [boot_recipe, boot_without_proc, boot_counters, boot_judged],
}


class Test:
    """One boot with a folder of its own."""

    def __init__(self, function, arch, program, folder):
        self.function, self.arch, self.program, self.folder = function, arch, program, folder
        self.name = function.__name__.removeprefix("boot_")
        self.machines = []

    def machine(self, **how):
        self.machines.append(Machine(self, **how))
        return self.machines[-1]

    def run(self):
        """False when it failed."""
        def boot():
            try:
                self.function(self)
                return self.function.__doc__
            finally:
                for machine in self.machines:
                    machine.kill()
        os.makedirs(self.folder)
        right = tell(self.name, boot)
        if not right:
            lines = [line[:160] for machine in self.machines for line in machine.shown().splitlines()]
            print("\n".join([line for line in lines if not line.startswith("1,")][-40:]), flush=True)
        return right


def main():
    parser = argparse.ArgumentParser(description="boots kernels with jitbench as PID 1")
    parser.add_argument("--arch", choices=sorted(QEMU), default="x86_64")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="keep consoles and images below this folder")
    parser.add_argument("program")
    parser.add_argument("boot", nargs="*", help="only these")
    arguments = parser.parse_args()
    chosen = [b for b in BOOTS[arguments.arch]
              if not arguments.boot or b.__name__.removeprefix("boot_") in arguments.boot]
    expect(chosen, "no such boot")
    try:
        need(QEMU[arguments.arch][0], "cpio", "mke2fs", "debugfs", "e2fsck", "apt-get", "dpkg", "cksum")
        for flavour in KERNELS[arguments.arch]:
            kernel(arguments.arch, flavour)
    except Skip as reason:
        for each in chosen:
            print(f"skipped: {each.__name__.removeprefix('boot_')}: {reason}")
        return 0
    with tempfile.TemporaryDirectory(prefix="jitbench-boot.") as temporary:
        base = os.path.abspath(arguments.keep) if arguments.keep else temporary
        tests = [Test(b, arguments.arch, os.path.abspath(arguments.program), os.path.join(base, b.__name__))
                 for b in chosen]
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            return int(not all(list(pool.map(Test.run, tests))))


if __name__ == "__main__":
    sys.exit(main())
