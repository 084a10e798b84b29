/* Runs a program that nobody trusts:
       launch SECONDS CPU_SECONDS MEMORY FILE_SIZE STATUS_FILE PROGRAM ARGUMENT…
   MEMORY and FILE_SIZE in bytes (0: as much as may be), STATUS_FILE the number of an open file that gets one line, "exit N",
   "signal N" or "time". The program can make no processes, no connections and no files; whatever it managed to start
   all the same is killed before this ends. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void limit(int which, unsigned long bytes)
{
    struct rlimit value;
    if (getrlimit(which, &value) != 0)
        return;
    if (bytes == 0)
        value.rlim_cur = value.rlim_max; /* whatever this was started with */
    else
        value.rlim_cur = value.rlim_max = bytes;
    setrlimit(which, &value);
}

/* Calls that reach beyond the process fail. A filter stands for one architecture and its numbers: the rules that
   refuse, then clone (for threads only) and the ways to open a file (for reading only). */
#define ENOUGH 96

struct numbers {
    uint32_t architecture;
    int clone, clone3, open, openat;
    int refused[32]; /* up to the first 0 */
};

static const struct numbers known[] = {
    {AUDIT_ARCH_X86_64, 56, 435, 2, 257,
     /* fork vfork kill rename mkdir rmdir creat link unlink symlink chmod chown lchown mknod truncate ptrace mount
        socket socketpair mkdirat mknodat fchownat unlinkat renameat linkat symlinkat fchmodat renameat2 openat2 */
     {57, 58, 62, 82, 83, 84, 85, 86, 87, 88, 90, 92, 94, 133, 76, 101, 165, 41, 53, 258, 259, 260, 263, 264, 265,
      266, 268, 316, 437, 0}},
    {AUDIT_ARCH_I386, 120, 435, 5, 295,
     /* the same, and socketcall, chown32, lchown32, truncate64 */
     {2, 190, 37, 38, 39, 40, 8, 9, 10, 83, 15, 182, 16, 14, 92, 26, 21, 359, 360, 296, 297, 298, 301, 302, 303,
      304, 306, 353, 437, 102, 193, 0}},
    {AUDIT_ARCH_AARCH64, 220, 435, -1, 56,
     {129, 45, 117, 40, 198, 199, 34, 33, 54, 35, 38, 37, 36, 53, 276, 437, 0}},
};

static size_t rules_for(const struct numbers *calls, struct sock_filter *rules)
{
    static const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    const struct sock_filter allowed = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_filter refused = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    const struct sock_filter absent = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
    const struct sock_filter number = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    const int opening[2] = {calls->open, calls->openat};
    size_t count = 0;
    int i;
    rules[count++] = number;
    for (i = 0; calls->refused[i] != 0; i++) {
        rules[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls->refused[i], 0, 1);
        rules[count++] = refused;
    }
    /* as if there were no clone3: the C library then uses clone */
    rules[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls->clone3, 0, 1);
    rules[count++] = absent;
    rules[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls->clone, 0, 4);
    rules[count++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]));
    rules[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
    rules[count++] = refused;
    rules[count++] = allowed;
    for (i = 0; i < 2; i++) {
        uint32_t flags = (uint32_t)(offsetof(struct seccomp_data, args[0]) + (size_t)(i + 1) * sizeof(uint64_t));
        rules[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)opening[i], 0, 4);
        rules[count++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags);
        rules[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, writing, 0, 1);
        rules[count++] = refused;
        rules[count++] = allowed;
    }
    rules[count++] = allowed;
    return count;
}

/* Where there is no such filter the other limits remain. */
static void filter_calls(void)
{
    static struct sock_filter rules[3 * ENOUGH];
    struct sock_fprog program;
    size_t i, count = 0;
    rules[count++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t length = rules_for(&known[i], rules + count + 1);
        rules[count] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, known[i].architecture, 0, (uint8_t)length);
        count += length + 1;
    }
    rules[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    program.len = (unsigned short)count;
    program.filter = rules;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void start(char **arguments)
{
    setsid();
    personality(ADDR_NO_RANDOMIZE); /* two runs are compared */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    limit(RLIMIT_CPU, strtoul(arguments[2], NULL, 10));
    limit(RLIMIT_AS, strtoul(arguments[3], NULL, 10));
    limit(RLIMIT_FSIZE, strtoul(arguments[4], NULL, 10));
    limit(RLIMIT_NOFILE, 64);
    {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
    }
    filter_calls();
    execv(arguments[6], arguments + 6);
    _exit(127);
}

/* The parent of a process, or 0. */
static long parent_of(const char *process)
{
    char path[300], text[512];
    const char *behind;
    long parent = 0;
    FILE *file;
    snprintf(path, sizeof path, "/proc/%s/stat", process);
    file = fopen(path, "r");
    if (file == NULL)
        return 0;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    behind = strrchr(text, ')');
    if (behind == NULL || sscanf(behind + 1, " %*c %ld", &parent) != 1)
        return 0;
    return parent;
}

/* Kills all children; those of killed ones become children of this process. */
static int kill_children(void)
{
    DIR *all = opendir("/proc");
    struct dirent *entry;
    int found = 0;
    if (all == NULL)
        return 0;
    while ((entry = readdir(all)) != NULL)
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && parent_of(entry->d_name) == (long)getpid()) {
            kill((pid_t)atol(entry->d_name), SIGKILL);
            found = 1;
        }
    closedir(all);
    return found;
}

int main(int count, char **arguments)
{
    struct timespec wait, now, until;
    sigset_t ended;
    double seconds;
    int status = 0, over = 0, rounds;
    pid_t child;
    if (count < 7)
        return 2;
    seconds = atof(arguments[1]);
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    child = fork();
    if (child < 0)
        return 2;
    if (child == 0) {
        sigprocmask(SIG_UNBLOCK, &ended, NULL);
        unshare(CLONE_NEWNET);
        start(arguments);
    }
    while (!over) {
        long long left;
        pid_t done = waitpid(child, &status, WNOHANG);
        if (done == child)
            break;
        clock_gettime(CLOCK_MONOTONIC, &now);
        left = (long long)(until.tv_sec - now.tv_sec) * 1000000000LL + (until.tv_nsec - now.tv_nsec);
        over = left <= 0;
        if (!over) {
            wait.tv_sec = (time_t)(left / 1000000000LL);
            wait.tv_nsec = (long)(left % 1000000000LL);
            sigtimedwait(&ended, NULL, &wait);
        }
    }
    kill(-child, SIGKILL);
    if (over) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    for (rounds = 0; rounds < 1000 && kill_children(); rounds++)
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue;
    if (over)
        dprintf(atoi(arguments[5]), "time\n");
    else if (WIFSIGNALED(status))
        dprintf(atoi(arguments[5]), "signal %d\n", WTERMSIG(status));
    else
        dprintf(atoi(arguments[5]), "exit %d\n", WEXITSTATUS(status));
    return 0;
}
