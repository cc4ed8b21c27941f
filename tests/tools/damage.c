/* SPDX-License-Identifier: MIT */
/*
 * damage MOST FILE COMMAND...: runs the command with FILE cut at every length
 * and with every byte of it flipped, in turn, and expects each time a refusal:
 * an exit code from 1 to 127, and FILE's last name on the error stream. At most
 * MOST lengths and MOST bytes are tried, spread evenly; 0 tries all. The
 * command must succeed with the whole FILE, before and after.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *file, *name, *words; /* the path, its last name, stderr's file */
static char **command;
static long failures, runs;

_Noreturn static void
stop(const char *what)
{
	fprintf(stderr, "damage: %s: %s: %s\n", what, file, strerror(errno));
	exit(3);
}

/* The whole of a file; the caller frees it. */
static char *
read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	char *p;

	if (!f || fstat(fileno(f), &st) || !(p = malloc((size_t)st.st_size + 1)))
		stop("cannot read");
	*n = fread(p, 1, (size_t)st.st_size, f);
	p[*n] = '\0';
	fclose(f);
	return p;
}

static void
write_file(const char *p, size_t n)
{
	FILE *f = fopen(file, "wb");

	if (!f || fwrite(p, 1, n, f) != n || fclose(f))
		stop("cannot write");
}

/* The status of one run; its stderr goes to the file `words`. */
static int
run(void)
{
	posix_spawn_file_actions_t to;
	int status;
	pid_t pid;

	posix_spawn_file_actions_init(&to);
	posix_spawn_file_actions_addopen(
	    &to, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(
	    &to, STDERR_FILENO, words, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	errno = posix_spawn(&pid, command[0], &to, NULL, command, environ);
	if (errno || waitpid(pid, &status, 0) < 0)
		stop("cannot run the command");
	posix_spawn_file_actions_destroy(&to);
	runs++;
	return status;
}

static void
complain(int status, const char *format, ...)
{
	va_list ap;

	if (failures++ >= 5)
		return;
	printf("%s ", name);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	if (WIFSIGNALED(status))
		printf(": signal %d\n", WTERMSIG(status));
	else
		printf(": exit %d\n", WEXITSTATUS(status));
}

static void
expect_refusal(const char *how, size_t at)
{
	int status = run();
	char *said;
	size_t n;

	if (!WIFEXITED(status) || WEXITSTATUS(status) < 1 ||
	    WEXITSTATUS(status) > 127) {
		complain(status, "%s %zu is not refused", how, at);
		return;
	}
	said = read_file(words, &n);
	if (!strstr(said, name))
		complain(status, "%s %zu: the name is not told, but '%.80s'",
		    how, at, said);
	free(said);
}

static void
expect_success(const char *when)
{
	int status = run();

	if (status)
		complain(status, "%s", when);
}

/* The k-th of `tries` positions spread over n, the ends among them. */
static size_t
spread(size_t k, size_t tries, size_t n)
{
	return tries < 2 ? 0 : k * (n - 1) / (tries - 1);
}

static void
damage(const char *whole, size_t n, size_t most)
{
	size_t tries = most && most < n ? most : n, k, at;
	char *bad = malloc(n);

	if (!bad)
		stop("no memory");
	for (k = 0; k < tries; k++) {
		at = spread(k, tries, n);
		write_file(whole, at);
		expect_refusal("cut at", at);
		memcpy(bad, whole, n);
		bad[at] = (char)~bad[at];
		write_file(bad, n);
		expect_refusal("flipped at", at);
	}
	free(bad);
}

int
main(int argc, char **argv)
{
	char *whole;
	size_t n;

	if (argc < 4) {
		fputs("usage: damage MOST FILE COMMAND...\n", stderr);
		return 2;
	}
	file = argv[2];
	name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	command = argv + 3;
	words = malloc(strlen(file) + 8);
	if (!words)
		stop("no memory");
	sprintf(words, "%s.words", file);
	whole = read_file(file, &n);
	expect_success("whole is refused");
	damage(whole, n, (size_t)strtoul(argv[1], NULL, 10));
	write_file(whole, n);
	expect_success("whole is refused afterwards");
	unlink(words);
	printf("%s: %zu bytes, %ld runs, %ld failures\n", name, n, runs,
	    failures);
	free(whole);
	free(words);
	return failures != 0;
}
