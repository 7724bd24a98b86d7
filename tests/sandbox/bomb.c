/* SPDX-License-Identifier: Apache-2.0 */
/* Uses up what it can, in the way that its first argument names, and prints how far it came. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static void say(long n)
{
    printf("%ld\n", n);
    fflush(stdout);
}

static void forks(void)
{
    long n = 0;
    for (; n < 4000; n++) {
        pid_t pid = fork();
        if (pid == 0) pause();
        if (pid < 0) break;
    }
    say(n);
}

static void *wait_for_ever(void *none)
{
    (void)none;
    pause();
    return NULL;
}

static void threads(void)
{
    pthread_attr_t small;
    pthread_t thread;
    long n = 0;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (; n < 4000 && pthread_create(&thread, &small, wait_for_ever, NULL) == 0; n++) {
    }
    say(n);
}

static long eat(long mib, int kind)
{
    long n = 0;
    for (; n < mib; n++) {
        char *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) break;
        memset(p, 1, MIB);
    }
    return n;
}

static void memory(void)
{
    say(eat(8192, MAP_PRIVATE));
}

static void shared(void)
{
    say(eat(8192, MAP_SHARED));
}

/* Each within its own limit, all together far past it. */
static void forks_memory(void)
{
    for (int i = 0; i < 12; i++) {
        if (fork() == 0) {
            eat(40, MAP_PRIVATE);
            pause();
        }
    }
    while (wait(NULL) > 0) {
    }
    say(0);
}

static void disk(void)
{
    static char block[65536];
    char name[32];
    long bytes = 0;
    signal(SIGXFSZ, SIG_IGN);
    memset(block, 1, sizeof block);
    for (int file = 0; file < 64; file++) {
        ssize_t n = 1;
        snprintf(name, sizeof name, "f%d", file);
        int fd = open(name, O_WRONLY | O_CREAT, 0600);
        while (fd >= 0 && n > 0 && bytes < 1L << 31) {
            n = write(fd, block, sizeof block);
            if (n > 0) bytes += n;
        }
        if (fd >= 0) close(fd);
    }
    say(bytes);
}

static void one_file(void)
{
    static char block[65536];
    int fd = open("f", O_WRONLY | O_CREAT, 0600);
    while (write(fd, block, sizeof block) > 0) {
    }
    say(errno);
}

static void inodes(void)
{
    char name[32];
    long n = 0;
    for (; n < 100000; n++) {
        snprintf(name, sizeof name, "f%ld", n);
        int fd = open(name, O_WRONLY | O_CREAT, 0600);
        if (fd < 0) break;
        close(fd);
    }
    say(n);
}

static void flood(int fd)
{
    static char block[65536];
    memset(block, 'x', sizeof block);
    while (write(fd, block, sizeof block) > 0) {
    }
}

static void flood_out(void)
{
    flood(1);
}

static void flood_err(void)
{
    flood(2);
}

static void *spin_on(void *none)
{
    (void)none;
    for (volatile long i = 0;; i++) {
    }
    return NULL;
}

static void stop_listening(void)
{
    for (int number = 1; number < NSIG; number++) signal(number, SIG_IGN);
}

static void spin(void)
{
    pthread_t thread;
    stop_listening();
    for (int i = 0; i < 3; i++) pthread_create(&thread, NULL, spin_on, NULL);
    if (fork() == 0) spin_on(NULL);
    spin_on(NULL);
}

static void stay(void)
{
    stop_listening();
    say(1);
    for (;;) pause();
}

static void daemonise(void)
{
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            stop_listening();
            close(0);
            close(1);
            close(2);
            for (;;) pause();
        }
        _exit(0);
    }
    wait(NULL);
    say(1);
}

static void kill_all(void)
{
    kill(-1, SIGKILL);
    kill(1, SIGKILL);
    kill(1, SIGSTOP);
    kill(getppid(), SIGKILL);
    say(1);
}

static const struct row {
    const char *name;
    void (*run)(void);
} rows[] = {{"forks", forks},
            {"threads", threads},
            {"memory", memory},
            {"shared", shared},
            {"forks-memory", forks_memory},
            {"disk", disk},
            {"one-file", one_file},
            {"inodes", inodes},
            {"flood", flood_out},
            {"flood-error", flood_err},
            {"spin", spin},
            {"stay", stay},
            {"daemon", daemonise},
            {"kill-all", kill_all}};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(argv[1], rows[i].name) != 0) continue;
        rows[i].run();
        return 0;
    }
    return 2;
}
