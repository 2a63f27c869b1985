/* SPDX-License-Identifier: MIT */
/* The storage of a directory's files, in made-up trees. */
#include "tree_fixture.h"

#include "sys/machine.h"

static const char mounts[] = "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
                             "27 1 8:2 / / ro,relatime shared:1 - ext4 /dev/sda2 rw,discard,relatime\n"
                             "270 1 254:16 / /data rw,noatime master:3 - xfs /dev/vdb rw,attr2,logbufs=8\n"
                             "30 27 0:24 / /tmp rw - tmpfs tmp rw,size=1024k\n"
                             "31 27 0:30 / /merged rw - overlay overlay rw,lowerdir=/a:/b,upperdir=/c,index=off\n";

/* Of a directory in the mount with this number, by the descriptor that it gets. */
static void expect(unsigned long id, const char *expected)
{
    char text[256] = "x", path[64], number[64];
    int next = dup(0);

    (void)close(next);
    (void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", next);
    (void)snprintf(number, sizeof(number), "pos:\t0\nmnt_id:\t%lu\n", id);
    tree_put(path, number);
    storage_describe("/", text, sizeof(text));
    assert_string_equal(text, expected);
}

/* The link of a device, to a folder with its queue. */
static void make_device(const char *number, const char *folder, const char *queue, const char *rotational,
                        const char *scheduler)
{
    char path[256], link[256], target[300];

    (void)snprintf(path, sizeof(path), "/sys/devices/%s/queue/rotational", queue);
    tree_put(path, rotational);
    (void)snprintf(path, sizeof(path), "/sys/devices/%s/queue/scheduler", queue);
    tree_put(path, scheduler);
    (void)snprintf(path, sizeof(path), "/sys/devices/%s/dev", folder);
    tree_put(path, number);
    (void)snprintf(link, sizeof(link), "/sys/dev/block/%s", number);
    tree_path(link, target, sizeof(target));
    (void)snprintf(path, sizeof(path), "../../devices/%s", folder);
    assert_int_equal(symlink(path, target), 0);
}

TREE_TEST(test_storage_of_a_partition_and_of_a_virtual_disk)
{
    tree_put("/proc/self/mountinfo", mounts);
    make_device("8:2", "pci0/ata1/block/sda/sda2", "pci0/ata1/block/sda", "1", "none [mq-deadline] bfq");
    make_device("254:16", "pci0/virtio2/block/vdb", "pci0/virtio2/block/vdb", "0", "none");
    expect(27, "mount=ro+relatime+rw+discard;disk=rotational;scheduler=mq-deadline");
    expect(270, "mount=rw+noatime+attr2+logbufs=8;disk=virtual+solid;scheduler=none");
}

TREE_TEST(test_storage_without_a_disk)
{
    tree_put("/proc/self/mountinfo", mounts);
    expect(30, "mount=rw+size=1024k");
    expect(31, "mount=rw+index=off"); /* paths are nobody's business */
    expect(8, "");
}

TREE_TEST(test_storage_of_damaged_texts)
{
    expect(27, "");
    tree_put("/proc/self/mountinfo", "27\n27 1\n27 1 8:2 / /\nx\n- - -\n27 1 8:2 / / rw\n");
    expect(27, "mount=rw");
    expect(0, "");
}

/* This machine's own: no more than that it is of that form. */
TREE_TEST(test_storage_of_this_machine)
{
    char text[256] = "x";

    procfs_root = "";
    storage_describe("/no/such/folder", text, sizeof(text));
    assert_string_equal(text, "");
    storage_describe("/proc", text, sizeof(text));
    if (access("/proc/self/fdinfo", F_OK) == 0)
        assert_memory_equal(text, "mount=r", 7);
    assert_null(strpbrk(text, ", "));
}
