#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes first inputs for the fuzz targets from real files: seeds.py FOLDER (gets a folder for each target).

CSV files of the tests are cut to few columns and rows, so that a change of some bytes is a change that means something;
command lines are those of the documentation and of the option tables' own help."""
import csv
import glob
import io
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
OUT = sys.argv[1]
# Columns that the readers of rows use, in groups.
COLUMNS = [
    "suite test load param copies metric unit better value samples",
    "run_id host suite test metric unit better value n mean sd median samples cpu_model build policy status reason",
    "suite test metric unit value min median p99 max hist series causes",
    "run_id host job rank suite test param metric unit better value wall_s steal_ms settings kernel cpus nice",
    "schema utc host suite test load metric value index status",
]


def put(target, name, data):
    folder = os.path.join(OUT, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def shorten(row):
    for long_field in ("samples", "hist", "series"):
        if row.get(long_field):
            row[long_field] = ";".join(row[long_field].split(";")[:12])
    return row


def cut(rows, columns):
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\r\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(shorten(dict(row)))
    return out.getvalue()


def csv_seeds():
    files = sorted(glob.glob(TOP + "/tests/consumers/*.csv") + glob.glob(TOP + "/tests/golden/in/compare/*.csv"))
    for path in files:
        name = os.path.basename(path)[:-4]
        with open(path, newline="") as f:
            rows = list(csv.DictReader(f))
        texts = [cut(rows[i::max(1, len(rows) // 4)][:4], group.split()) for i, group in enumerate(COLUMNS)]
        texts.append(cut(rows[:3], list(rows[0])))
        for i, text in enumerate(texts):
            put("rows", f"{name}-{i}", text)
            # The first byte says which of the variants; a record separator parts two files.
            put("export", f"{name}-{i}", chr(i % 7) + text)
            put("report", f"{name}-{i}", text)
            put("fleet", f"{name}-{i}", chr(i) + text)
            put("compare", f"{name}-{i}", chr(i) + text + "\x1e" + text.replace("410", "470"))
    noise_seeds()


def noise_seeds():
    """Rows of noise and prime as `fleet`, `project` and the page's figures take them."""
    head = "run_id,host,suite,test,param,copies,metric,unit,better,value,n,median,p99,max,cpus,wall_s,samples,hist,series,causes\r\n"
    rows = ""
    for host in "abcde":
        at = f"{host}1,{host}"
        rows += f"{at},noise,noise,threshold_ns=200,1,detour,ns,lower,900,7,800,3000,9000,1,1,,512:3;1024:3;8192:1,100:900;1100:910;2100:905;+3,preempted:1.5\r\n"
        rows += f"{at},noise,noise,threshold_ns=200,1,lost,%,lower,0.5,,,,,1,1,,,0:0.1;500000:0.9,\r\n"
        rows += f"{at},noise,noise,threshold_ns=200,1,lost_timer,%,lower,0.2,,,,,1,1,,,,\r\n"
        rows += f"{at},prime,prime,limit=22 experiments=1000,1,cycles,cycles,lower,410,1000,410,500,90000,0,1,410;411;420,400:900;512:99;90000:1,5:90000;700:512,\r\n"
        rows += f"{at},prime,prime,limit=22 experiments=1000,1,time,ns,lower,170,1000,170,200,36000,0,1,170;171,,,\r\n"
    for target in ("fleet", "export", "compare"):
        put(target, "noise", "\x01" + head + rows)
    # The cost of noise at scale is computed for each host, which is slow.
    put("report", "noise", head + "".join(rows.splitlines(True)[:5]))
    put("rows", "noise", head + rows)


def hostile_seeds():
    """Every text with what a format has to escape."""
    bad = "a\"b\\c<script>d&amp;e'f|g\u00e9\u2028\nh\ti\u0085"
    texts = "host job kernel cpu_model suite test load param metric unit status reason policy cpus comment".split()
    row = {name: bad for name in texts}
    row.update(value="1.5", samples="1;2;3;4;5;6", hist="1:2;4:5", series="1:2;3:4;+5", n="6", median="2", better="lower",
               status="ok", run_id="r")
    plain = dict(row, suite="prime", test="prime", metric="cycles", unit="cycles")
    for i in range(7):
        text = cut([row, plain, dict(plain, host=bad + "2", metric="time", unit="ns")], list(row))
        put("export", f"hostile-{i}", chr(i) + text)
        put("compare", f"hostile-{i}", chr(i) + text + "\x1e" + text)
        put("fleet", f"hostile-{i}", chr(i) + text)
    put("report", "hostile", text)
    put("rows", "hostile", text)


COMMANDS = """
all --quick --cpus 0-1 -o x.csv
all --classic --copies 1,2 --nice -5 --fifo=50 --max-time 2m
noise --cpus quiet --threshold 200ns -t 1s
prime --limit 10:46:4 --experiments 1M --series x
prime --samples 5 --precision 2.5% --bind range -m comment
stream array bandwidth --size 64K
stream bandwidth -t 500ms
unix dhry2reg whetstone-double -i 3 -c 1 -c 2
unix -q -v execl fs pipe
latency audio video --load burn,ring,write -t 10s
latency -L 4 -H -n
run -- ls -l
run --prepare true --ignore -- sort a -- sort -S 1G a
run --stdin a.csv --names x,y -- cat -- dd
check
check governor smt --cpus 0 -o -
check --csv x
tune --dry-run governor
tune
untune
untune --file /run/x
compare a.csv b.csv
compare a.csv -- b.csv folder/c.csv --fail-on slower --min-effect 2
compare --format markdown -o x.csv a.csv b.csv --across build --by host
report a.csv -o x.html
report a.csv b.csv
export -f json a.csv
export --format openmetrics a.csv b.csv
fleet folder
fleet *.csv --fail-on outlier -o x.csv
project a.csv --ranks 10,1000 --step 1ms
init --run all --out sda1:/x --end reboot
list
list metrics
help
help prime
completion bash
__complete -- prime --li
__complete -- latency -w burn,
__complete -- run -q cat
version
prime --start-at +30 --output %h-%j-%r-%t.csv --no-csv
prime --start-at @1700000000.5
prime --start-at 14:30:00 --hold-latency --tuned --layout fixed --strict
"""


def option_seeds(help_text):
    """A command line for each option that the help of a command shows: `jitbench COMMAND -h` written as COMMAND: text."""
    for part in re.split(r"^==", help_text, flags=re.M)[1:]:
        command, _, text = part.partition("\n")
        for option, value in re.findall(r"(--[a-z-]+)(?:[ =\[]+([A-Z|a-z,.%-]+))?", text):
            words = [command.strip(), option] + ([value.split("|")[0].strip("=]").replace("N", "3")] if value else [])
            put("arguments", f"{command.strip()}{option}", "\0".join(words))


def word_seeds():
    for i, line in enumerate(COMMANDS.strip().splitlines()):
        put("arguments", f"line{i:02}", "\0".join(line.split(" ")))
    for i, line in enumerate(COMMANDS.strip().splitlines()[::4]):
        kernel = f'BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet jitbench.run="{line}" jitbench.out=sda1:/r/ jitbench.end=reboot'
        put("orders", f"line{i:02}", kernel + " -- " + line + "\n" + "\n".join(line.split(" ")))
    put("orders", "plain", "isolcpus=1 jitbench.tune=yes jitbench.modules=/lib/m\njitbench.end=halt\nprime\n--limit\n22")
    for i, text in enumerate(["0,2-5,8-14:2", "0-15:2/4", "ff,00000001", "1.5s", "250ms", "2.5%", "10:46:4", "1M", "1,2,4K",
                              "burn,ring", "+30s", "@1700000000.5", "14:30:00", "%h-%j-%r-%t.csv", "sda1:/r/a.csv",
                              "a 'b c' \"d\\\"\" \\e", "/dev/disk/by-uuid/1-2:x", "410.25e-3", "random", "yes", "-20", "all"]):
        put("values", f"text{i:02}", text)


def tree_seeds():
    for path in sorted(glob.glob(TOP + "/tests/trees/*.tree")):
        with open(path) as f:
            text = f.read()
        name = os.path.basename(path)[:-5]
        put("tree", name, text)
        for line in text.splitlines():
            if line[:1] in ("", "#") or "\t" not in line:
                continue
            place, content = line.split("\t", 1)
            content = content.encode().decode("unicode_escape").encode("latin-1")
            put("proc", name + re.sub(r"[^a-z0-9]+", "-", place), place.encode() + b"\n" + content + b"\n")


def snapshot_seeds():
    head = b"# jitbench snapshot of boot b\n"
    one = b"/proc/sys/kernel/a=value\n"
    two = b"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor=powersave\n"
    for name, body in (("none", b""), ("one", one), ("two", one + two), ("links", b"/proc/../etc/passwd=a\n")):
        put("snapshot", name, body)
        put("snapshot", name + "-as-it-is", b"!" + head + body + b"# end\n")


csv_seeds()
hostile_seeds()
word_seeds()
tree_seeds()
snapshot_seeds()
if len(sys.argv) > 2:
    with open(sys.argv[2]) as f:
        option_seeds(f.read())
