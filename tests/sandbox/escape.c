/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attempts to get out of a sandbox, each a row, each in a process of its own. Prints a line for
 * each: "S01 net out|held|none reason". `out`: it reached something of the host, or got what nobody
 * in a sandbox should have. `none`: this machine has nothing to try it on. Run bare it is the
 * control: what is not out there proves nothing when it is held inside.
 */
#include "escape.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/if_alg.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum result {
    OUT,
    HELD,
    NONE
};

static char **args; /* of main */

static const char *text(enum escape_arg which)
{
    return args[which];
}
static unsigned long long number(enum escape_arg which)
{
    return strtoull(args[which], NULL, 0);
}
static enum result when(bool out)
{
    return out ? OUT : HELD;
}

/* ---- networks ------------------------------------------------------------------------------- */

static struct sockaddr_in loopback(enum escape_arg port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)number(port)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}
static enum result tcp(void)
{
    struct sockaddr_in to = loopback(ESCAPE_TCP);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return when(fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
}
static enum result udp(void)
{
    struct sockaddr_in to = loopback(ESCAPE_UDP);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    return when(fd >= 0 && sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof to) == 1);
}
static enum result raw(void)
{
    return when(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) >= 0);
}
static enum result packet(void)
{
    return when(socket(AF_PACKET, SOCK_RAW, 0) >= 0);
}
/* Whether a network other than the loopback is to be seen. */
static enum result netlink(void)
{
    struct {
        struct nlmsghdr head;
        struct ifinfomsg body;
    } ask = {{sizeof ask, RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 1, 0}, {0}};
    _Alignas(struct nlmsghdr) char got[16384];
    bool seen = false;
    int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    if (fd < 0 || send(fd, &ask, sizeof ask, 0) < 0) return HELD;
    ssize_t n = recv(fd, got, sizeof got, 0);
    for (struct nlmsghdr *h = (void *)got; n > 0 && NLMSG_OK(h, (unsigned)n);
         h = NLMSG_NEXT(h, n)) {
        const struct ifinfomsg *link = NLMSG_DATA(h);
        if (h->nlmsg_type == RTM_NEWLINK && link->ifi_type != 772) seen = true; /* not a loopback */
    }
    return when(seen);
}
static enum result vsock(void)
{
    return when(socket(AF_VSOCK, SOCK_STREAM, 0) >= 0);
}
static enum result alg(void)
{
    struct sockaddr_alg to = {.salg_family = AF_ALG, .salg_type = "hash", .salg_name = "sha256"};
    int fd = socket(AF_ALG, SOCK_SEQPACKET, 0);
    return when(fd >= 0 && bind(fd, (struct sockaddr *)&to, sizeof to) == 0);
}
static enum result listener(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return when(fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 1) == 0);
}
static enum result unix_socket(bool abstract)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const char *name = text(abstract ? ESCAPE_ABSTRACT : ESCAPE_SOCKET);
    memcpy(to.sun_path + abstract, name, strlen(name));
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + abstract + strlen(name));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return when(fd >= 0 && connect(fd, (struct sockaddr *)&to, size) == 0);
}
static enum result abstract_socket(void)
{
    return unix_socket(true);
}
static enum result path_socket(void)
{
    return unix_socket(false);
}

/* ---- files ---------------------------------------------------------------------------------- */

static enum result reads_secret(const char *path)
{
    char got[4096] = {0};
    int fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, got, sizeof got - 1);
    return when(n > 0 && memmem(got, (size_t)n, ESCAPE_SECRET, sizeof ESCAPE_SECRET - 1));
}
static const char *joined(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *joined(const char *format, ...)
{
    static char path[8192];
    va_list list;
    va_start(list, format);
    vsnprintf(path, sizeof path, format, list);
    va_end(list);
    return path;
}
static enum result by_path(void)
{
    return reads_secret(text(ESCAPE_FILE));
}
static enum result by_own_root(void)
{
    return reads_secret(joined("/proc/self/root%s", text(ESCAPE_FILE)));
}
static enum result by_their_root(void)
{
    return reads_secret(joined("/proc/%s/root%s", text(ESCAPE_VICTIM), text(ESCAPE_FILE)));
}
static enum result by_dots(void)
{
    return reads_secret(joined("../../../../../../../..%s", text(ESCAPE_FILE)));
}
static enum result environ_of_other(void)
{
    return reads_secret(joined("/proc/%s/environ", text(ESCAPE_VICTIM)));
}
static enum result memory_of_other(void)
{
    char got[sizeof ESCAPE_SECRET] = {0};
    int fd = open(joined("/proc/%s/mem", text(ESCAPE_VICTIM)), O_RDONLY);
    return when(fd >= 0 && pread(fd, got, sizeof got - 1, (off_t)number(ESCAPE_ADDRESS)) > 0 &&
                !strcmp(got, ESCAPE_SECRET));
}
static enum result shadow(void)
{
    return when(open("/etc/shadow", O_RDONLY) >= 0);
}
static enum result symbolic_link(void)
{
    unlink("way");
    if (symlink(text(ESCAPE_FILE), "way") != 0) return HELD;
    enum result r = reads_secret("way");
    unlink("way");
    return r;
}
static enum result hard_link(void)
{
    unlink("way");
    if (link(text(ESCAPE_FILE), "way") != 0) return HELD;
    enum result r = reads_secret("way");
    unlink("way");
    return r;
}
static enum result tz_file(void)
{
    setenv("TZ", joined(":%s", text(ESCAPE_FILE)), 1);
    tzset();
    return when(open(text(ESCAPE_FILE), O_RDONLY) >= 0); /* what the library tried */
}
static enum result writes(const char *path)
{
    return when(open(path, O_WRONLY | O_APPEND) >= 0);
}
static enum result write_usr(void)
{
    int fd = open("/usr/ferrule-was-here", O_WRONLY | O_CREAT, 0600);
    if (fd >= 0) unlink("/usr/ferrule-was-here");
    return when(fd >= 0);
}
static enum result preload(void)
{
    return when(open("/etc/ld.so.preload", O_WRONLY | O_CREAT, 0644) >= 0);
}
/* A file that the next one would find. */
static enum result leave_file(void)
{
    static const char *const places[] = {"/tmp", "/var/tmp", "/dev/shm"};
    bool left = false;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct stat st;
        const char *path = joined("%s/ferrule-left-%d", places[i], (int)getpid());
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (fd < 0) continue;
        if (fstat(fd, &st) == 0 && st.st_dev == (dev_t)number(ESCAPE_TMP)) left = true;
        unlink(path);
    }
    return when(left);
}
static enum result own_binary(void)
{
    int fd = open("/proc/self/exe", O_RDONLY);
    if (fd < 0) return HELD;
    if (open(joined("/proc/self/fd/%d", fd), O_WRONLY) >= 0) return OUT;
    int seals = fcntl(fd, F_GET_SEALS);
    return when(seals >= 0 && !(seals & F_SEAL_WRITE)); /* whoever comes later can */
}
static enum result device(const char *path)
{
    return when(open(path, O_RDWR) >= 0 || open(path, O_RDONLY) >= 0);
}
static enum result disk(void)
{
    return when(device("/dev/vda") == OUT || device("/dev/sda") == OUT ||
                device("/dev/loop0") == OUT);
}
static enum result kvm(void)
{
    return device("/dev/kvm");
}
static enum result mem(void)
{
    return device("/dev/mem");
}
static enum result core_pattern(void)
{
    return writes("/proc/sys/kernel/core_pattern");
}
static enum result cgroup_procs(void)
{
    return when(writes("/sys/fs/cgroup/cgroup.procs") == OUT ||
                writes("/sys/fs/cgroup/pids/cgroup.procs") == OUT);
}
static enum result sysrq(void)
{
    return writes("/proc/sysrq-trigger");
}
static enum result handle(void)
{
    _Alignas(8) char block[sizeof(struct file_handle) + 128] = {0};
    struct file_handle *h = (void *)block;
    int at;
    h->handle_bytes = 128;
    if (name_to_handle_at(AT_FDCWD, text(ESCAPE_FILE), h, &at, 0) != 0) return HELD;
    int fd = open_by_handle_at(AT_FDCWD, h, O_RDONLY);
    return when(fd >= 0);
}
static enum result make_device(void)
{
    enum result r = when(mknod("node", S_IFCHR | 0600, makedev(1, 3)) == 0);
    unlink("node");
    return r;
}

/* ---- mounts and namespaces ------------------------------------------------------------------ */

static enum result mount_it(void)
{
    return when(mount("x", "/", "tmpfs", 0, NULL) == 0);
}
static enum result fs_open(void)
{
    return when(syscall(SYS_fsopen, "tmpfs", 0) >= 0);
}
static enum result tree(void)
{
    return when(syscall(SYS_open_tree, AT_FDCWD, "/", 1 /* OPEN_TREE_CLONE */) >= 0);
}
static enum result pivot(void)
{
    return when(syscall(SYS_pivot_root, ".", ".") == 0);
}
static enum result change_root(void)
{
    return when(chroot(".") == 0);
}
static enum result new_user(void)
{
    return when(unshare(CLONE_NEWUSER) == 0);
}
static enum result clone3_user(void)
{
    struct {
        uint64_t flags, pidfd, child, parent, signal, stack, size, tls;
    } c = {.flags = CLONE_NEWUSER, .signal = SIGCHLD};
    long pid = syscall(SYS_clone3, &c, sizeof c);
    if (pid == 0) _exit(0);
    if (pid > 0) waitpid((pid_t)pid, NULL, 0);
    return when(pid > 0);
}
static enum result clone_user(void)
{
    long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) _exit(0);
    if (pid > 0) waitpid((pid_t)pid, NULL, 0);
    return when(pid > 0);
}
static enum result enter(void)
{
    int fd = open(joined("/proc/%s/ns/net", text(ESCAPE_VICTIM)), O_RDONLY);
    return when(fd >= 0 && setns(fd, 0) == 0);
}

/* ---- other processes ------------------------------------------------------------------------ */

static pid_t victim(void)
{
    return (pid_t)number(ESCAPE_VICTIM);
}
static enum result trace(void)
{
    if (ptrace(PTRACE_SEIZE, victim(), NULL, NULL) != 0) return HELD;
    return OUT; /* ends with this process */
}
static enum result read_memory(void)
{
    char got[sizeof ESCAPE_SECRET] = {0};
    struct iovec here = {got, sizeof got - 1};
    struct iovec there = {(void *)(uintptr_t)number(ESCAPE_ADDRESS), sizeof got - 1};
    return when(process_vm_readv(victim(), &here, 1, &there, 1, 0) > 0 &&
                !strcmp(got, ESCAPE_SECRET));
}
static enum result signal_it(void)
{
    return when(kill(victim(), 0) == 0);
}
static enum result signal_group(void)
{
    return when(kill(-victim(), 0) == 0);
}
static enum result pidfd(void)
{
    long fd = syscall(SYS_pidfd_open, victim(), 0);
    return when(fd >= 0 && syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) == 0);
}
static enum result pidfd_get(void)
{
    long fd = syscall(SYS_pidfd_open, victim(), 0);
    return when(fd >= 0 && syscall(SYS_pidfd_getfd, fd, 0, 0) >= 0);
}
static enum result see_others(void)
{
    return when(open(joined("/proc/%s/stat", text(ESCAPE_VICTIM)), O_RDONLY) >= 0);
}
static enum result shared_memory(void)
{
    int id = shmget((key_t)number(ESCAPE_SHM), 0, 0);
    const char *at = id < 0 ? (void *)-1 : shmat(id, NULL, SHM_RDONLY);
    return when(at != (void *)-1 && !strcmp(at, ESCAPE_SECRET));
}

/* ---- what it was given ---------------------------------------------------------------------- */

static enum result descriptors(void)
{
    for (int fd = 3; fd < 1024; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) return OUT;
    }
    return HELD;
}
static enum result descriptor_folders(void)
{
    struct stat st;
    for (int fd = 0; fd < 1024; fd++) {
        if (fstat(fd, &st) != 0 || !S_ISDIR(st.st_mode)) continue;
        if (openat(fd, joined("../../../../../../..%s", text(ESCAPE_FILE)), O_RDONLY) >= 0)
            return OUT;
    }
    return HELD;
}
static enum result variables(void)
{
    return when(getenv(ESCAPE_VARIABLE) != NULL);
}
/* What a program's loader or interpreter would obey, had whoever asked for the run a say in it. */
static enum result loader_variables(void)
{
    return when(getenv("LD_PRELOAD") || getenv("LD_LIBRARY_PATH") || getenv("PYTHONPATH") ||
                getenv("NODE_OPTIONS"));
}

/* ---- programs that were written ------------------------------------------------------------- */

static bool copy_file(const char *from, const char *to)
{
    static char block[1 << 16];
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0755);
    ssize_t n = -1;
    while (in >= 0 && out >= 0 && (n = read(in, block, sizeof block)) > 0)
        if (write(out, block, (size_t)n) != n) return false;
    if (out >= 0) close(out);
    return n == 0;
}
/* Runs it and looks whether it printed the text, or (NULL) ended with 0. */
static enum result runs(const char *path, char *const argv[], const char *want)
{
    char got[256] = {0};
    int ends[2], status = -1;
    if (pipe(ends)) return HELD;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        execve(path, argv, environ);
        _exit(3);
    }
    close(ends[1]);
    if (pid < 0 || read(ends[0], got, sizeof got - 1) < 0) return HELD;
    waitpid(pid, &status, 0);
    return when(want ? strstr(got, want) != NULL : status == 0);
}
/* A file that may not be executed, by the loader that may. */
static enum result by_loader(void)
{
    char *const argv[] = {(char *)(uintptr_t) "ld", (char *)(uintptr_t) "./S69", NULL};
    if (access("/lib64/ld-linux-x86-64.so.2", X_OK)) return NONE;
    enum result r =
        copy_file("/bin/true", "./S69") ? runs("/lib64/ld-linux-x86-64.so.2", argv, NULL) : HELD;
    unlink("./S69");
    return r;
}
/* A script whose interpreter is told to read a file of the host. */
static enum result by_script(void)
{
    char *const argv[] = {(char *)(uintptr_t) "S70", NULL};
    const char *first = joined("#!/bin/cat %s\n", text(ESCAPE_FILE));
    int fd = open("./S70", O_WRONLY | O_CREAT | O_EXCL, 0755);
    if (fd < 0) return HELD;
    bool written = write(fd, first, strlen(first)) == (ssize_t)strlen(first);
    close(fd);
    enum result r = written ? runs("./S70", argv, ESCAPE_SECRET) : HELD;
    unlink("./S70");
    return r;
}

/* ---- the kernel ----------------------------------------------------------------------------- */

static enum result key_of_session(void)
{
    long key = syscall(SYS_keyctl, 10 /* SEARCH */, -3 /* session */, "user", ESCAPE_KEY, 0);
    char got[64] = {0};
    return when(key >= 0 && syscall(SYS_keyctl, 11 /* READ */, key, got, sizeof got - 1) > 0 &&
                !strcmp(got, ESCAPE_SECRET));
}
static enum result key_added(void)
{
    return when(syscall(SYS_add_key, "user", "ferrule-mine", "x", 1, -2 /* process */) >= 0);
}
static enum result bpf(void)
{
    struct {
        uint32_t type, key, value, entries;
        char rest[112];
    } map = {.type = 2, .key = 4, .value = 4, .entries = 1};
    return when(syscall(SYS_bpf, 0, &map, sizeof map) >= 0);
}
static enum result perf(void)
{
    struct {
        uint32_t type, size;
        uint64_t config;
        char rest[112];
    } event = {.type = 1, .size = sizeof event};
    return when(syscall(SYS_perf_event_open, &event, 0, -1, -1, 0) >= 0);
}
static enum result uffd(void)
{
    return when(syscall(SYS_userfaultfd, 1 /* USER_MODE_ONLY */) >= 0);
}
static enum result uring(void)
{
    char params[256] = {0};
    return when(syscall(SYS_io_uring_setup, 1, params) >= 0);
}
static enum result kexec(void)
{
    return when(syscall(SYS_kexec_load, 0, 0, NULL, 0) == 0 || errno == EBUSY);
}
static enum result module(void)
{
    return when(syscall(SYS_init_module, "", 0, "") == 0 || errno == ENOEXEC);
}
static enum result restart(void)
{
    return when(syscall(SYS_reboot, 0, 0, 0, NULL) == 0 || errno == EINVAL);
}
static enum result set_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return when(clock_settime(CLOCK_REALTIME, &now) == 0);
}
static enum result name_host(void)
{
    char name[256] = {0};
    gethostname(name, sizeof name - 1);
    return when(sethostname(name, strlen(name)) == 0);
}
static enum result type_into_terminal(void)
{
    int fd = open("/dev/tty", O_RDWR);
    if (fd < 0 && !isatty(0)) return NONE;
    return when(ioctl(fd < 0 ? 0 : fd, TIOCSTI, "x") == 0);
}
static enum result set_user_id(void)
{
    struct stat st;
    struct statvfs fs;
    const char *path = "/usr/bin/passwd";
    if (stat(path, &st) != 0 || !(st.st_mode & S_ISUID)) path = "/bin/su";
    if (stat(path, &st) != 0 || !(st.st_mode & S_ISUID)) return HELD;
    return when(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 0 && statvfs(path, &fs) == 0 &&
                !(fs.f_flag & ST_NOSUID));
}
static enum result capabilities(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct have[2] = {{0}};
    syscall(SYS_capget, &head, have);
    return when(have[0].effective || have[1].effective || have[0].permitted || have[1].permitted);
}
static enum result raise_limit(void)
{
    struct rlimit r;
    getrlimit(RLIMIT_NOFILE, &r);
    r.rlim_cur = r.rlim_max = r.rlim_max + 1;
    return when(setrlimit(RLIMIT_NOFILE, &r) == 0);
}
static enum result write_and_execute(void)
{
    char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return when(mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
                     -1, 0) != MAP_FAILED ||
                mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0);
}
static enum result old_numbers(void)
{
#ifdef __x86_64__
    long answer;
    __asm__ volatile("int $0x80"
                     : "=a"(answer)
                     : "a"(20L /* getpid of i386 */)
                     : "memory", "r8", "r9", "r10", "r11");
    return when(answer > 0);
#else
    return NONE;
#endif
}
static enum result x32_numbers(void)
{
    return when(syscall(0x40000000 | SYS_getpid) > 0);
}
static enum result core_dump(void)
{
    struct rlimit r;
    getrlimit(RLIMIT_CORE, &r);
    return when(r.rlim_max > 0);
}

static const struct row {
    const char *id, *class;
    enum result (*attempt)(void);
} rows[] = {
    {"S01", "net", tcp},
    {"S02", "net", udp},
    {"S03", "net", raw},
    {"S04", "net", packet},
    {"S05", "net", netlink},
    {"S06", "kernel", vsock},
    {"S07", "kernel", alg},
    {"S08", "net", listener},
    {"S09", "net", abstract_socket},
    {"S10", "net", path_socket},
    {"S11", "file", by_path},
    {"S12", "file", by_own_root},
    {"S13", "file", by_their_root},
    {"S14", "env", environ_of_other},
    {"S15", "process", memory_of_other},
    {"S16", "file", shadow},
    {"S17", "file", symbolic_link},
    {"S18", "file", hard_link},
    {"S19", "fd", descriptors},
    {"S20", "env", variables},
    {"S21", "file", write_usr},
    {"S22", "file", preload},
    {"S23", "file", mount_it},
    {"S24", "file", fs_open},
    {"S25", "file", tree},
    {"S26", "file", pivot},
    {"S27", "file", change_root},
    {"S28", "kernel", new_user},
    {"S29", "kernel", clone3_user},
    {"S29b", "kernel", clone_user},
    {"S30", "process", enter},
    {"S31", "process", trace},
    {"S32", "process", read_memory},
    {"S33", "process", signal_it},
    {"S34", "process", pidfd},
    {"S35", "process", pidfd_get},
    {"S36", "kernel", key_of_session},
    {"S37", "kernel", key_added},
    {"S38", "kernel", bpf},
    {"S39", "kernel", perf},
    {"S40", "kernel", uffd},
    {"S41", "kernel", uring},
    {"S42", "file", handle},
    {"S43", "kernel", kexec},
    {"S44", "kernel", module},
    {"S45", "kernel", restart},
    {"S46", "kernel", set_clock},
    {"S47", "kernel", name_host},
    {"S48", "file", make_device},
    {"S49", "file", disk},
    {"S50", "file", kvm},
    {"S51", "file", mem},
    {"S52", "file", core_pattern},
    {"S53", "file", cgroup_procs},
    {"S54", "file", sysrq},
    {"S55", "process", type_into_terminal},
    {"S56", "process", set_user_id},
    {"S57", "kernel", capabilities},
    {"S58", "kernel", raise_limit},
    {"S59", "process", see_others},
    {"S60", "kernel", write_and_execute},
    {"S67", "file", own_binary},
    {"S68", "fd", descriptor_folders},
    {"S68b", "file", by_dots},
    {"S69", "file", by_loader},
    {"S70", "file", by_script},
    {"S71", "kernel", old_numbers},
    {"S71b", "kernel", x32_numbers},
    {"S77", "process", signal_group},
    {"S81", "process", shared_memory},
    {"S83", "kernel", core_dump},
    {"S84", "env", loader_variables},
    {"S85", "file", tz_file},
    {"S86", "file", leave_file},
};

/* One that is killed was held, and by a wall at that. */
static void run(const struct row *row)
{
    static const char *const names[] = {"out", "held", "none"};
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        errno = 0;
        enum result r = row->attempt();
        printf("%s %s %s %s\n", row->id, row->class, names[r], r == OUT ? "-" : strerror(errno));
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (child < 0 || WIFSIGNALED(status))
        printf("%s %s held signal %d\n", row->id, row->class, child < 0 ? 0 : WTERMSIG(status));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc != ESCAPE_ARGS) return 2;
    args = argv;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) run(&rows[i]);
    return 0;
}
