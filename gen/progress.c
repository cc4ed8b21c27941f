/* SPDX-License-Identifier: MIT */
#include "gen/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/file.h"

bool
progress_line(struct str line, unsigned long long *done,
    unsigned long long *all)
{
	struct str part;

	if (!str_starts(line, "["))
		return false;
	line = (struct str){ line.p + 1, line.n - 1 };
	return str_next(&line, '/', &part) && str_u64(part, done) &&
	    str_next(&line, ']', &part) && str_u64(part, all) &&
	    str_starts(line, " kernel ");
}

static bool
can_show(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb");
}

/* Takes the whole lines off the buffer and shows the last one that counts. */
static bool
show_lines(struct buf *b)
{
	struct str rest = buf_str(b), line;
	unsigned long long done, all;
	size_t used = 0;
	bool shown = false;

	while (used < b->n && memchr(b->p + used, '\n', b->n - used)) {
		str_next(&rest, '\n', &line);
		used += line.n + 1;
		if (!progress_line(line, &done, &all))
			continue;
		fprintf(stderr, "\r\033[Kkvaot: compiling %llu/%llu", done,
		    all);
		shown = true;
	}
	memmove(b->p, b->p + used, b->n - used);
	b->n -= used;
	return shown;
}

/* Copies what comes from `fd` to the log until its end. */
static void
follow(int fd, int to, const char *log)
{
	bool show = can_show(), shown = false;
	struct buf lines = { 0 };
	char chunk[4096];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof chunk)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			fatal("cannot read what ninja prints: %s",
			    strerror(errno));
		if (file_write_fd(to, chunk, (size_t)n))
			fatal("cannot write %s: %s", log, strerror(errno));
		if (!show)
			continue;
		buf_put(&lines, chunk, (size_t)n);
		shown |= show_lines(&lines);
	}
	if (shown)
		fputs("\r\033[K", stderr);
	buf_release(&lines);
}

static pid_t
start(char *const *argv, int out)
{
	pid_t pid = fork();

	if (pid < 0)
		fatal("cannot start %s: %s", argv[0], strerror(errno));
	if (pid)
		return pid;
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0 ||
	    setenv("NINJA_STATUS", "[%f/%t] ", 1))
		_exit(EXIT_ENV);
	execvp(argv[0], argv);
	_exit(127);
}

int
progress_run(char *const *argv, const char *log)
{
	int to = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	int fd[2], status;
	pid_t pid;

	if (to < 0)
		fatal("cannot write %s: %s", log, strerror(errno));
	if (pipe2(fd, O_CLOEXEC))
		fatal("cannot make a pipe: %s", strerror(errno));
	pid = start(argv, fd[1]);
	close(fd[1]);
	follow(fd[0], to, log);
	close(fd[0]);
	if (close(to))
		fatal("cannot write %s: %s", log, strerror(errno));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fatal("cannot wait for %s: %s", argv[0],
			    strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_BUG;
}

void
progress_ninja(const char *build, struct arena *arena)
{
	char *log = path_join(arena, build, "ninja.log");
	char *argv[] = { "ninja", "-C", arena_strdup(arena, build), NULL };
	int code = progress_run(argv, log);
	struct str text = { "", 0 };

	if (code == 0)
		return;
	if (file_read(arena, log, &text))
		text = (struct str){ "", 0 };
	fwrite(text.p, 1, text.n, stderr);
	if (code == 127)
		fatal("ninja was not found; install ninja-build");
	fatal("ninja failed in %s (exit %d)", build, code);
}
