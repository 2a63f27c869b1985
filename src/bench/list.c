/* SPDX-License-Identifier: MIT */
/* The list of benchmarks: a new one is a file of its own and a line here. */
#include "bench/list.h"

#include "bench/command.h"
#include "bench/noise.h"
#include "bench/prime.h"
#include "bench/sim.h"
#include "bench/stream.h"
#include "bench/unix.h"

const struct bench *const bench_list[] = {
    &bench_noise,
    &bench_prime,
    &bench_array,
    &bench_bandwidth,
    &bench_dhry2reg,
    &bench_whetstone,
    &bench_execl,
    &bench_fcopy1024,
    &bench_fcopy256,
    &bench_fcopy4096,
    &bench_pipe,
    &bench_context1,
    &bench_spawn,
    &bench_shell1,
    &bench_shell8,
    &bench_syscall,
    &bench_fwrite1024,
    &bench_fwrite256,
    &bench_fwrite4096,
    &bench_fread1024,
    &bench_fread256,
    &bench_fread4096,
    &bench_short,
    &bench_int,
    &bench_long,
    &bench_float,
    &bench_double,
    &bench_arithoh,
    &bench_hanoi,
    &bench_sysexec,
    &bench_shell16,
    &bench_sysclose,
    &bench_sysgetpid,
    &bench_calibrate,
    &bench_audio,
    &bench_video,
    &bench_x,
    &bench_gaming,
    &bench_custom,
    &bench_command,
    NULL,
};
