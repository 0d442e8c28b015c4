/* Faults of a disk below one folder, for a process that preloads this library; `faults.py` builds it and tells it what to do.

   Every file operation below the folder is a step. The step of a given number kills the process before it happens, or in the
   middle of a write, or stops it, or fails. Steps can also be written to a trace, with the bytes that they wrote, from which `disk.py`
   makes what a power loss may leave. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPENS = 1, WRITES = 2, SYNCS = 4, RENAMES = 8, REMOVES = 16, CUTS = 32, FOLDERS = 64 };
enum mode { OFF, COUNTED, KILLED, TORN, FAILED, FAILING, STOPPED };
enum verdict { PASS, FAIL, TEAR };

#define FILES 65536
static struct { char folder[PATH_MAX]; size_t length; char part[256]; enum mode mode; long step; int error; int kinds; } plan;
static long steps;
static int trace = -1;
static char *path_of[FILES]; /* of descriptors below the folder, else NULL */

static void set_folder(const char *folder) {
  snprintf(plan.folder, sizeof plan.folder, "%s", folder);
  plan.length = strlen(plan.folder);
}

void faults_plan(const char *folder, int mode, long step, int error, int kinds, const char *part, const char *trace_file) {
  set_folder(folder);
  snprintf(plan.part, sizeof plan.part, "%s", part);
  plan.mode = mode; plan.step = step; plan.error = error; plan.kinds = kinds;
  steps = 0;
  if (trace >= 0) { syscall(SYS_close, trace); trace = -1; }
  if (*trace_file) {
    int opened = syscall(SYS_openat, AT_FDCWD, trace_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    trace = syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, 900); /* out of the way of programs that count on low numbers */
    syscall(SYS_close, opened);
  }
}

long faults_steps(void) { return steps; }

static void die(void) { syscall(SYS_kill, syscall(SYS_getpid), SIGKILL); for (;;) pause(); }

static void note(const char *what, const char *path, const char *other, long offset, const void *bytes, size_t size) {
  if (trace < 0) return;
  char head[2 * PATH_MAX + 128];
  int length = snprintf(head, sizeof head, "%s\t%s\t%s\t%ld\t%zu\n", what, path, other, offset, size);
  struct iovec parts[3] = {{head, length}, {(void *)bytes, size}, {"\n", 1}};
  syscall(SYS_writev, trace, parts, 3);
}

static enum verdict step(enum kind kind, const char *path) {
  if (plan.mode == OFF || !(kind & plan.kinds) || (*plan.part && !strstr(path, plan.part))) return PASS;
  long number = __sync_add_and_fetch(&steps, 1);
  if (plan.mode == COUNTED || number < plan.step || (number > plan.step && plan.mode != FAILING)) return PASS;
  if (plan.mode == KILLED) die();
  if (plan.mode == TORN) return TEAR;
  if (plan.mode == STOPPED) { syscall(SYS_kill, syscall(SYS_getpid), SIGSTOP); return PASS; }
  errno = plan.error;
  return FAIL;
}

static const char *whole(int folder, const char *path, char *room) {
  char base[PATH_MAX], link[64];
  if (!path || path[0] == '/') return path ? path : "";
  if (folder == AT_FDCWD) { if (!getcwd(base, sizeof base)) return path; }
  else {
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t size = readlink(link, base, sizeof base - 1);
    if (size < 0) return path;
    base[size] = 0;
  }
  if (snprintf(room, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) return path;
  return room;
}

static int below(const char *path) {
  return plan.mode != OFF && plan.length && !strncmp(path, plan.folder, plan.length) && (path[plan.length] == '/' || !path[plan.length]);
}
static const char *known(int fd) { return plan.mode != OFF && fd >= 0 && fd < FILES ? path_of[fd] : NULL; }
static void forget(int fd) { if (fd >= 0 && fd < FILES) { free(path_of[fd]); path_of[fd] = NULL; } }

/* --- files ------------------------------------------------------------------------------------------------------- */

static int open_file(int folder, const char *given, int flags, mode_t rights) {
  char room[PATH_MAX];
  const char *path = whole(folder, given, room);
  int writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC), ours = below(path);
  int there = ours && !syscall(SYS_faccessat, AT_FDCWD, path, F_OK);
  if (ours && writes && step(OPENS, path) != PASS) { if (plan.mode == TORN) die(); return -1; }
  int fd = syscall(SYS_openat, folder, given, flags, rights), error = errno;
  forget(fd);
  if (fd >= 0 && fd < FILES && ours) path_of[fd] = strdup(path);
  if (fd >= 0 && ours && writes && !there) note("create", path, "", 0, NULL, 0);
  else if (fd >= 0 && ours && flags & O_TRUNC) note("cut", path, "", 0, NULL, 0);
  errno = error;
  return fd;
}
#define RIGHTS mode_t rights = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); rights = va_arg(more, mode_t); va_end(more); }
int open(const char *path, int flags, ...) { RIGHTS return open_file(AT_FDCWD, path, flags, rights); }
int open64(const char *path, int flags, ...) { RIGHTS return open_file(AT_FDCWD, path, flags | O_LARGEFILE, rights); }
int openat(int folder, const char *path, int flags, ...) { RIGHTS return open_file(folder, path, flags, rights); }
int openat64(int folder, const char *path, int flags, ...) { RIGHTS return open_file(folder, path, flags | O_LARGEFILE, rights); }
int creat(const char *path, mode_t rights) { return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, rights); }
int close(int fd) { if (fd == trace && fd >= 0) { errno = EBADF; return -1; } forget(fd); return syscall(SYS_close, fd); }

static ssize_t write_bytes(int fd, const void *bytes, size_t size, off_t offset, int placed) {
  const char *path = known(fd);
  if (!path) return placed ? syscall(SYS_pwrite64, fd, bytes, size, offset) : syscall(SYS_write, fd, bytes, size);
  enum verdict verdict = step(WRITES, path);
  if (verdict == FAIL) return -1;
  if (!placed) offset = lseek(fd, 0, syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND ? SEEK_END : SEEK_CUR);
  size_t asked = verdict == TEAR ? size / 2 : size;
  ssize_t done = placed ? syscall(SYS_pwrite64, fd, bytes, asked, offset) : syscall(SYS_write, fd, bytes, asked);
  int error = errno;
  if (done > 0) note("write", path, "", offset, bytes, done);
  if (verdict == TEAR) die();
  errno = error;
  return done;
}
ssize_t write(int fd, const void *bytes, size_t size) { return write_bytes(fd, bytes, size, 0, 0); }
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) { return write_bytes(fd, bytes, size, offset, 1); }
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) { return write_bytes(fd, bytes, size, offset, 1); }
ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (!known(fd)) return syscall(SYS_writev, fd, parts, count);
  ssize_t all = 0;
  for (int i = 0; i < count; i++) {
    ssize_t done = write_bytes(fd, parts[i].iov_base, parts[i].iov_len, 0, 0);
    if (done < 0) return all ? all : done;
    all += done;
    if ((size_t)done < parts[i].iov_len) break;
  }
  return all;
}

/* bytes that the kernel copies would pass unseen: whoever asks falls back to reading and writing */
ssize_t sendfile(int out, int in, off_t *offset, size_t size) {
  if (known(out)) { errno = EINVAL; return -1; }
  return syscall(SYS_sendfile, out, in, offset, size);
}
ssize_t sendfile64(int out, int in, off64_t *offset, size_t size) { return sendfile(out, in, offset, size); }
ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t size, unsigned flags) {
  if (known(out)) { errno = EINVAL; return -1; }
  return syscall(SYS_copy_file_range, in, from, out, to, size, flags);
}

static int sync_file(int fd, int call) {
  const char *path = known(fd);
  if (!path) return syscall(call, fd);
  if (step(SYNCS, path) != PASS) {
    if (plan.mode == TORN) die();
    int error = errno; note("lost", path, "", 0, NULL, 0); errno = error;
    return -1;
  }
  int done = syscall(call, fd), error = errno;
  if (!done) note("sync", path, "", 0, NULL, 0);
  errno = error;
  return done;
}
int fsync(int fd) { return sync_file(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }

static int cut_file(int fd, off_t size) {
  const char *path = known(fd);
  if (!path) return syscall(SYS_ftruncate, fd, size);
  if (step(CUTS, path) != PASS) { if (plan.mode == TORN) die(); return -1; }
  int done = syscall(SYS_ftruncate, fd, size), error = errno;
  if (!done) note("cut", path, "", size, NULL, 0);
  errno = error;
  return done;
}
int ftruncate(int fd, off_t size) { return cut_file(fd, size); }
int ftruncate64(int fd, off64_t size) { return cut_file(fd, size); }

/* --- names ------------------------------------------------------------------------------------------------------- */

static int move(int folder, const char *from, int other, const char *to, unsigned flags) {
  char room[PATH_MAX], more[PATH_MAX];
  const char *source = whole(folder, from, room), *target = whole(other, to, more);
  int ours = below(source) || below(target);
  if (ours && step(RENAMES, target) != PASS) { if (plan.mode == TORN) die(); return -1; }
  int done = syscall(SYS_renameat2, folder, from, other, to, flags), error = errno;
  if (ours && !done) note("rename", source, target, 0, NULL, 0);
  errno = error;
  return done;
}
int rename(const char *from, const char *to) { return move(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int folder, const char *from, int other, const char *to) { return move(folder, from, other, to, 0); }
int renameat2(int folder, const char *from, int other, const char *to, unsigned flags) { return move(folder, from, other, to, flags); }

static int link_name(int folder, const char *from, int other, const char *to, int flags) {
  char room[PATH_MAX], more[PATH_MAX];
  const char *source = whole(folder, from, room), *target = whole(other, to, more);
  int ours = below(target);
  if (ours && step(RENAMES, target) != PASS) { if (plan.mode == TORN) die(); return -1; }
  int done = syscall(SYS_linkat, folder, from, other, to, flags), error = errno;
  if (ours && !done) note("link", source, target, 0, NULL, 0);
  errno = error;
  return done;
}
int link(const char *from, const char *to) { return link_name(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int folder, const char *from, int other, const char *to, int flags) { return link_name(folder, from, other, to, flags); }

static int drop(int folder, const char *given, int flags) {
  char room[PATH_MAX];
  const char *path = whole(folder, given, room);
  int ours = below(path);
  if (ours && step(REMOVES, path) != PASS) { if (plan.mode == TORN) die(); return -1; }
  int done = syscall(SYS_unlinkat, folder, given, flags), error = errno;
  if (ours && !done) note("remove", path, "", 0, NULL, 0);
  errno = error;
  return done;
}
int unlink(const char *path) { return drop(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) { return drop(folder, path, flags); }
int rmdir(const char *path) { return drop(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char *path) {
  struct stat found;
  if (lstat(path, &found)) return -1;
  return drop(AT_FDCWD, path, S_ISDIR(found.st_mode) ? AT_REMOVEDIR : 0);
}

static int make_folder(int folder, const char *given, mode_t rights) {
  char room[PATH_MAX];
  const char *path = whole(folder, given, room);
  int ours = below(path);
  if (ours && step(FOLDERS, path) != PASS) { if (plan.mode == TORN) die(); return -1; }
  int done = syscall(SYS_mkdirat, folder, given, rights), error = errno;
  if (ours && !done) note("folder", path, "", 0, NULL, 0);
  errno = error;
  return done;
}
int mkdir(const char *path, mode_t rights) { return make_folder(AT_FDCWD, path, rights); }
int mkdirat(int folder, const char *path, mode_t rights) { return make_folder(folder, path, rights); }
