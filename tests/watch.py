# SPDX-License-Identifier: MIT
"""A small world of its own in which whatever a program leaves behind can be seen: for kill.py and soak.py.

As root the caller is executed again as the first process of its own process, mount and IPC namespaces, with an empty
/dev/shm and /tmp: every process, file and shared memory segment in there that the caller did not make is the
program's. Without the right it is made the reaper of all its descendants, and names are looked for among everybody's."""
import ctypes
import os
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
MS_BIND = 4096
MARK = "JITBENCH_WATCH"
PRIVATE = ("/dev/shm", "/tmp")


def mount(source, place, kind=None, flags=0, options=""):
    if ctypes.CDLL(None, use_errno=True).mount(source.encode(), place.encode(), kind and kind.encode(), flags,
                                               options.encode()):
        raise OSError(ctypes.get_errno(), "mount %s: %s" % (place, os.strerror(ctypes.get_errno())))


def enter(folder, program):
    """Executes the caller again in namespaces of its own, in which the path of folder is still the same folder, with a
    copy of the program in it: the program itself may be built anew meanwhile, or lie in the hidden /tmp. Returns "", or
    why there are no namespaces."""
    if os.environ.get(MARK) == "within":
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        for place in PRIVATE:
            mount("jitbench-watch", place, "tmpfs", options="mode=1777,size=1g")
        os.makedirs(folder, exist_ok=True)
        if not os.path.samestat(os.stat(folder), os.fstat(descriptor)):
            mount("/proc/self/fd/%d" % descriptor, folder, flags=MS_BIND)
        os.close(descriptor)
        return ""
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["cp", program, os.path.join(folder, "jitbench")], check=True)
    namespaces = ["unshare", "--mount", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.environ.get(MARK) != "without":
        try:
            subprocess.run(namespaces + ["true"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except (OSError, subprocess.CalledProcessError) as error:
            why = (getattr(error, "stderr", None) or b"").decode(errors="replace").strip() or str(error)
        else:
            os.environ[MARK] = "within"
            os.execvp(namespaces[0], namespaces + [sys.executable] + sys.argv)
    else:
        why = "%s=without" % MARK
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return why


class Process:
    """A process as /proc shows it; the fields are not updated."""

    def __init__(self, pid):
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
            text = file.read()
        words = text[text.rindex(")") + 2:].split()
        self.pid, self.name = pid, text[text.index("(") + 1:text.rindex(")")]
        self.state, self.parent, self.group, self.session = words[0], int(words[1]), int(words[2]), int(words[3])
        self.threads = int(words[17])
        self.start = int(words[19])

    def __str__(self):
        try:
            with open("/proc/%d/cmdline" % self.pid, "rb") as file:
                line = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            line = ""
        return "%d (%s, %s, child of %d) %s" % (self.pid, self.name, self.state, self.parent, line)

    def memory(self):
        """Resident now and at most, in KiB; (0, 0) when it is gone."""
        found = {"VmRSS": 0, "VmHWM": 0}
        try:
            with open("/proc/%d/status" % self.pid, encoding="ascii", errors="replace") as file:
                for line in file:
                    name = line.split(":")[0]
                    if name in found:
                        found[name] = int(line.split()[1])
        except OSError:
            pass
        return found["VmRSS"], found["VmHWM"]

    def descriptors(self):
        try:
            return os.listdir("/proc/%d/fd" % self.pid)
        except OSError:
            return []


def processes():
    """All, by number."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                found[int(name)] = Process(int(name))
            except (OSError, ValueError):
                pass
    return found


def below(root, everybody):
    """The process and its descendants."""
    children = {}
    for process in everybody.values():
        children.setdefault(process.parent, []).append(process)
    tree, todo = [], [everybody[root]] if root in everybody else []
    while todo:
        process = todo.pop()
        tree.append(process)
        todo += children.get(process.pid, [])
    return tree


def reap(keep=()):
    """Orphans that became the caller's and have ended; keep are the children that another caller waits for."""
    for process in processes().values():
        if process.parent == os.getpid() and process.state == "Z" and process.pid not in keep:
            try:
                os.waitpid(process.pid, os.WNOHANG)
            except ChildProcessError:
                pass


def strangers(keep=()):
    """Processes that are neither the caller nor below one of keep."""
    reap(keep)
    everybody = processes()
    mine = below(os.getpid(), everybody)
    kept = {process.pid for root in keep for process in below(root, everybody)} | {os.getpid()}
    return [process for process in mine if process.pid not in kept and process.state != "Z"]


def shared_memory():
    """SysV segments, semaphores, queues, and names of POSIX ones."""
    found = set()
    for kind in ("shm", "sem", "msg"):
        try:
            with open("/proc/sysvipc/" + kind, encoding="ascii") as file:
                found |= {"SysV %s %s" % (kind, line.split()[1]) for line in file.readlines()[1:]}
        except OSError:
            pass
    return found


def names(*folders):
    """All files and folders below these."""
    found = set()
    for folder in folders:
        for place, inner, files in os.walk(folder):
            found |= {os.path.join(place, name) for name in inner + files}
    return found


def wait_none(look, limit_s=2.0):
    """Returns what look() still finds when the time is over; ends as soon as it finds nothing."""
    until = time.monotonic() + limit_s
    while True:
        found = look()
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.02)


def kill(process):
    try:
        os.kill(process.pid if isinstance(process, Process) else process, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False
