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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define FIELD(name) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define REFUSED BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define REFUSE(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), REFUSED

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

/* Calls that reach beyond the process fail. Where there is no such filter the other limits remain. */
static void filter_calls(void)
{
#ifdef ARCHITECTURE
    static struct sock_filter rules[] = {
        FIELD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        REFUSED,
        FIELD(nr),
#ifdef __NR_fork
        REFUSE(__NR_fork),
        REFUSE(__NR_vfork),
        REFUSE(__NR_unlink),
        REFUSE(__NR_rename),
        REFUSE(__NR_mkdir),
        REFUSE(__NR_rmdir),
        REFUSE(__NR_link),
        REFUSE(__NR_symlink),
        REFUSE(__NR_creat),
        REFUSE(__NR_chmod),
        REFUSE(__NR_chown),
        REFUSE(__NR_mknod),
#endif
#ifdef __NR_socket
        REFUSE(__NR_socket),
        REFUSE(__NR_socketpair),
#endif
#ifdef __NR_socketcall
        REFUSE(__NR_socketcall),
#endif
        REFUSE(__NR_unlinkat),
        REFUSE(__NR_renameat2),
        REFUSE(__NR_mkdirat),
        REFUSE(__NR_linkat),
        REFUSE(__NR_symlinkat),
        REFUSE(__NR_mknodat),
        REFUSE(__NR_fchmodat),
        REFUSE(__NR_fchownat),
        REFUSE(__NR_truncate),
        REFUSE(__NR_kill),
        REFUSE(__NR_ptrace),
        REFUSE(__NR_mount),
#ifdef __NR_openat2
        REFUSE(__NR_openat2),
#endif
#ifdef __NR_clone3 /* as if there were none: the C library then uses clone */
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4), /* threads only */
        FIELD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
        REFUSED,
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
#ifdef __NR_open
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_open, 0, 4), /* for reading only */
        FIELD(args[1]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1),
        REFUSED,
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 4),
        FIELD(args[2]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1),
        REFUSED,
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program;
    program.len = sizeof rules / sizeof rules[0];
    program.filter = rules;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#endif
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
