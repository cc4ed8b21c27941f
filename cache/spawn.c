/* SPDX-License-Identifier: MIT */
#include "cache/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"

static int
start(pid_t *pid, const char *dir, char *const *argv, const char *pass,
    int out)
{
	const char *passed = pass ? getenv(pass) : NULL;
	struct arena a = { 0 };
	char path[] = "PATH=/usr/bin:/bin", locale[] = "LC_ALL=C";
	char *env[] = { path, locale, arena_printf(&a, "TMPDIR=%s", dir),
		passed ? arena_printf(&a, "%s=%s", pass, passed) : NULL,
		NULL };
	posix_spawn_file_actions_t fa;
	int e = posix_spawn_file_actions_init(&fa);

	if (e == 0) {
		e = posix_spawn_file_actions_addopen(
		    &fa, 0, "/dev/null", O_RDONLY, 0);
		if (e == 0)
			e = posix_spawn_file_actions_adddup2(&fa, out, 1);
		if (e == 0)
			e = posix_spawn_file_actions_adddup2(&fa, out, 2);
		if (e == 0)
			e = posix_spawn_file_actions_addchdir_np(&fa, dir);
		if (e == 0)
			e = posix_spawn(pid, argv[0], &fa, NULL, argv, env);
		posix_spawn_file_actions_destroy(&fa);
	}
	arena_release(&a);
	errno = e;
	return e ? -1 : 0;
}

static int
collect(int fd, struct buf *output)
{
	char text[4096];
	ssize_t n;

	while ((n = read(fd, text, sizeof(text))) != 0) {
		if (n > 0)
			buf_put(output, text, (size_t)n);
		else if (errno != EINTR)
			return -1;
	}
	return 0;
}

static int
wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status)
				 : 128 + WTERMSIG(status);
}

int
spawn_run(const char *dir, char *const *argv, const char *pass,
    struct buf *output)
{
	int fd[2], r, status;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return -1;
	r = start(&pid, dir, argv, pass, fd[1]);
	close(fd[1]);
	if (r) {
		close(fd[0]);
		return -1;
	}
	r = collect(fd[0], output);
	close(fd[0]);
	status = wait_for(pid);
	return r ? -1 : status;
}
