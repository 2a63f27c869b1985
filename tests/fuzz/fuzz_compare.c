/* SPDX-License-Identifier: MIT */
/* Two CSV files (a byte 0x1e between; without it one and itself) compared. The first byte says how. */
#include "cmd/cmd.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const way ways[] = {
        {"compare", "a.csv", "b.csv"},
        {"compare", "--all", "a.csv", "b.csv"},
        {"compare", "--format", "markdown", "a.csv", "b.csv"},
        {"compare", "--format", "csv", "a.csv", "b.csv"},
        {"compare", "--by", "host", "--all", "a.csv", "b.csv"},
        {"compare", "--fail-on", "slower", "-o", "x.csv", "a.csv", "b.csv"},
        {"compare", "--across", "build,cpu", "a.csv", "b.csv"},
    };
    const int status = run_one_of(ways, COUNT(ways), data, size);

    FUZZ_CHECK(status != EXIT_FINDING || data[0] % COUNT(ways) == 5);
    if (status == EXIT_DONE && data[0] % COUNT(ways) != 3)
        check_printed();
    return status < 0 ? -1 : 0;
}
