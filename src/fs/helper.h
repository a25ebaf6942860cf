/* struct helper: threads beside the worker's own, for work that nobody shall wait behind. */
#ifndef FS_HELPER_H
#define FS_HELPER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define HELPER_THREADS_MAX 4

/* The first member of whatever is to be done. */
struct job {
	struct job *next;
	const atomic_bool *stop;         /* set by helper_submit: true, and nobody wants the result any more; run may end early */
	void (*run)(struct job *job);    /* in a thread of the helper's; touches nothing but the job */
	void (*finish)(struct job *job); /* in the worker's own, from helper_collect; frees the job */
};

/* Where one may be given, NULL is a helper that takes no jobs and has none. */
struct helper;

/* At most so many threads, each of which starts when a job has to wait; `idle`: they get what others leave of the
 * processor. NULL without memory or a descriptor. */
struct helper *helper_new(size_t threads, bool idle);

/* A descriptor that is readable when jobs are done that nobody has collected; -1 without one. */
int helper_descriptor(const struct helper *helper);

/* Asks the jobs that run to stop and waits for them; those that have not begun are finished without having run. */
void helper_free(struct helper *helper);

/* False, and the job stays the caller's, when too much waits already or there is no thread to be had. */
bool helper_submit(struct helper *helper, struct job *job);

/* Runs a job at once in the caller's own thread, for when there is no other and the work must be done. */
void helper_run(struct helper *helper, struct job *job);

/* Finishes what is done. Costs next to nothing when nothing is. */
void helper_collect(struct helper *helper);

#endif
