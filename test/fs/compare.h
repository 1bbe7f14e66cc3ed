/* SPDX-License-Identifier: MIT */
/*
 * compare.h — the same calls on two directories, written down and compared.
 *
 * A case is a function that makes calls on relative names. It runs once in a fresh folder of the
 * native directory and once in one below the mount point, each time in a process of its own, and
 * notes what it sees: results, error numbers, fields of stat, content. The two records must be the
 * same, line for line; so nothing is noted that differs between two runs on one file system
 * (inode numbers, times of day).
 *
 * One thread. A record is memory that a case's process shares with its parent.
 */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/*
 * The directories of a run. behind is what the mount shows, as the host sees it; NULL: unknown.
 * Read-only sides hold the same files, and cases run in them, not in folders of their own.
 */
struct sides {
	const char *native;
	const char *mount;
	const char *behind;
	bool is_readonly;
};

/* Where a case runs: its working directory, and the same folder behind the mount. */
struct place {
	const char *folder; /* absolute */
	const char *behind; /* absolute; natively the same as folder; NULL: unknown */
	bool is_mount;
};

typedef void case_function(const struct place *place);

struct case_entry {
	const char *name;
	case_function *run;
};

/* Writes a line into the record of the case that runs. errno stays as it is. */
__attribute__((format(printf, 1, 2)))
void note(const char *format, ...);

/* Notes what, and result or the name of errno if it is negative. Returns result; errno stays. */
long note_result(long result, const char *what);

/* As note_result, but for a descriptor only that it is one. */
int note_open(int fd, const char *what);

/* The call's text and its result become a line. */
#define CALL(expression) note_result((long)(expression), #expression)
#define OPEN(expression) note_open((expression), #expression)

/* The fields of lstat, less times, inode number and blocks. */
void note_stat(const char *path);
void note_fstat(int fd);

/* Size and hash of a file's content, read through a new descriptor. */
void note_content(const char *path);

/* Names and hashes of a file's extended attributes, in order of the names; of the link itself. */
void note_xattrs(const char *path);

/* Everything above for the entries of a directory, sorted, and for those below. */
void note_tree(const char *path);

/* Runs a case on both sides and compares: one check of TAP, the differences as comments. */
bool compare_case(const struct sides *sides, const struct case_entry *entry);

/*
 * Runs the cases whose names contain one of the words given, all without words, and removes what
 * they leave.
 */
void compare_cases(const struct sides *sides, const struct case_entry *entries, size_t count,
	char *const *words);

/* Notes everything below the folder of this name on both sides; prints what differs. */
bool compare_trees(const char *native, const char *mount, const char *name);

/* Ends the run: the plan of TAP. Returns the exit status. */
int compare_done(void);

/* Removes a file or a directory with all below; what cannot be removed stays. */
void remove_tree(int directory, const char *name);

/* Fills memory with bytes that depend on seed and place only. */
void fill_pattern(void *memory, size_t length, unsigned seed);

/* Writes a new file of length bytes of pattern, mode 0644; ends the process if it cannot. */
void make_file(const char *path, size_t length, unsigned seed);

/* Waits, for ten seconds at the most, until a process sleeps in a call. */
void wait_until_asleep(pid_t pid);

/* Notes how a child ended. */
void note_child(pid_t pid, const char *what);
