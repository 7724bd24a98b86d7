/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox_layers.h"

#define MIB ((uint64_t)1 << 20)

const fer_layer_row fer_layer_rows[FER_LAYER_COUNT] = {
    [FER_LAYER_USER] = {"user", "a user namespace: what is inside owns nothing outside", true},
    [FER_LAYER_MOUNT] = {"mount",
                         "a read-only root of its own; nothing else of the host's files is there",
                         true},
    [FER_LAYER_PID] = {"pid",
                       "a PID namespace: no other process can be named, and all end together",
                       true},
    [FER_LAYER_NET] = {"net", "a network namespace without a network", true},
    [FER_LAYER_IPC] = {"ipc", "an IPC namespace: no shared memory, queues or semaphores of others",
                       true},
    [FER_LAYER_UTS] = {"uts", "a host name of its own", true},
    [FER_LAYER_CGROUP_NS] = {"cgroup-ns", "a cgroup namespace: the host's cgroups have no names",
                             true},
    [FER_LAYER_NESTED] = {"nested",
                          "no further namespace can be made inside (user.max_*_namespaces)", true},
    [FER_LAYER_LANDLOCK] = {"landlock",
                            "rules of Landlock for files, TCP, signals and abstract sockets", true},
    [FER_LAYER_SECCOMP] = {"seccomp", "a list of the system calls that are allowed", true},
    [FER_LAYER_NO_NEW_PRIVS] = {"no-new-privileges", "set-user-ID programs raise nothing", true},
    [FER_LAYER_CAPABILITIES] = {"capabilities", "no capability, nor a way to one", true},
    [FER_LAYER_RLIMITS] = {"rlimits", "limits of each process", true},
    [FER_LAYER_WATCHER] = {"watcher",
                           "memory and CPU of all processes together, looked at by the warden",
                           true},
    [FER_LAYER_CGROUP] = {"cgroup", "memory and processes together, held by the kernel", false},
};

const char *const fer_layer_stand_names[FER_STAND_REMOVED + 1] = {"unknown", "up", "partly",
                                                                  "missing", "removed"};

fer_layer fer_layer_named(fer_str name)
{
    for (int i = 0; i < FER_LAYER_COUNT; i++) {
        if (fer_str_eq(name, fer_str_of(fer_layer_rows[i].name))) return (fer_layer)i;
    }
    return FER_LAYER_COUNT;
}

const fer_box_limit_row fer_box_limit_rows[FER_BOX_LIMIT_COUNT] = {
    [FER_BOX_WALL] = {"wall", 30000, 1, 86400000, "ms", "by the clock"},
    [FER_BOX_CPU] = {"cpu", 10000, 10, 86400000, "ms", "of processors, of all its processes"},
    [FER_BOX_MEMORY] = {"memory", 512 * MIB, 4 * MIB, 1048576 * MIB, "bytes",
                        "of memory, of all its processes"},
    [FER_BOX_PROCESSES] = {"processes", 64, 1, 4096, "", "processes and threads"},
    [FER_BOX_OUTPUT] = {"output", MIB, 1, 1024 * MIB, "bytes",
                        "of standard output and standard error together"},
    [FER_BOX_DISK] = {"disk", 32 * MIB, 4096, 65536 * MIB, "bytes", "of its work folder"},
    [FER_BOX_INODES] = {"inodes", 4096, 8, 1048576, "", "files and folders in its work folder"},
    [FER_BOX_FILES] = {"files", 256, 32, 65536, "", "descriptors of one process"},
};
