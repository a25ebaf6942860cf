/* What is coded is read in the thread, from a descriptor of its own, and thrown away when the file is another by then. Of all processes one
 * makes a form: who finds it claimed leaves it to that one. A form that somebody waits for has a thread to itself, so that it
 * waits behind nobody and nobody behind it. */
#include "handler/coding_job.h"

#include "fs/helper.h"

#include <errno.h>
#include <stdlib.h>

struct coding_job {
	struct job job;
	struct handler *handler;
	struct blobs *blobs;
	struct hash key;
	enum coding coding;
	enum quality quality;
	bool awaited;            /* else nobody waits for it */
	struct file file;        /* fd -1: the bytes are in `in` */
	bool may_change;         /* then file is what it must still be */
	struct buf in, out;
	int error;               /* -EEXIST: it is in the directory */
	atomic_flag taken;       /* by the thread, or by one who waits and does not leave it to that */
};

static int
job_read(struct coding_job *work)
{
	int error = work->file.fd >= 0 ? file_read(&work->file, &work->in) : 0;

	return error == 0 && work->may_change ? file_check(&work->file) : error;
}

static void
job_run(struct job *job)
{
	struct coding_job *work = (struct coding_job *)job;
	enum blobs_thread thread = work->awaited ? BLOBS_THREAD_AWAITED : BLOBS_THREAD_IDLE;
	int claim;

	work->error = -ECANCELED;
	if (atomic_flag_test_and_set(&work->taken))
		return;
	claim = blobs_claim(work->blobs, thread, work->key);
	work->error = claim == -EEXIST || claim == -EBUSY ? claim : job_read(work);
	if (work->error == 0)
		work->error = compress_until(&work->out, buf_view(&work->in), work->coding, work->quality, job->stop);
	buf_release(&work->in);
	if (work->error != 0)
		buf_reset(&work->out);
	if (blobs_settle(work->blobs, thread, work->key, claim, buf_view(&work->out)) == 0)
		work->error = -EEXIST;
}

static void
job_free(struct coding_job *work)
{
	if (work == NULL)
		return;
	file_close(&work->file);
	buf_release(&work->in);
	buf_release(&work->out);
	free(work);
}

/* Of key 0: room for one more. */
static struct pending_coding *
find_pending(struct handler *handler, struct hash key)
{
	for (size_t i = 0; i < HANDLER_PENDING_MAX; i++)
		if (handler->pending[i].key.low == key.low && handler->pending[i].key.high == key.high)
			return &handler->pending[i];
	return NULL;
}

/* What came of it, to be given back. NULL: nothing that this process can find now. */
static struct blob *
take_result(struct coding_job *work)
{
	switch (work->error) {
	case 0:
		return work->out.len > 0 ? blobs_add(work->blobs, work->key, buf_view(&work->out), false) : NULL;
	case -E2BIG:
		return blobs_add(work->blobs, work->key, (struct str){ NULL, 0 }, false);
	case -EEXIST:
		blobs_forget(work->blobs, work->key);
		return work->awaited ? blobs_get(work->blobs, work->key) : NULL;
	default:
		return NULL;
	}
}

static void
job_finish(struct job *job)
{
	struct coding_job *work = (struct coding_job *)job;
	struct handler *handler = work->handler;
	struct blob *blob = take_result(work);

	if (work->awaited) {
		handler->awaited.pending = false;
		handler->awaited.blob = blob;
	} else {
		blob_put(handler->blobs, blob);
		*find_pending(handler, work->key) = (struct pending_coding){ 0 };
	}
	job_free(work);
}

/* The job takes a descriptor along. What is in memory has none, and is copied if that is no more than `copied` bytes.
 */
static struct coding_job *
job_new(struct handler *handler, const struct coded_source *source, struct hash key, enum coding coding,
    enum quality quality, int64_t copied)
{
	struct coding_job *work = calloc(1, sizeof(*work));

	if (work == NULL)
		return NULL;
	work->job = (struct job){ .run = job_run, .finish = job_finish };
	work->handler = handler;
	work->blobs = handler->blobs;
	work->key = key;
	work->coding = coding;
	work->quality = quality;
	atomic_flag_clear(&work->taken);
	buf_init(&work->in, (size_t)CODING_JOB_LONGEST + 1);
	buf_init(&work->out, (size_t)CODING_JOB_LONGEST);
	work->file.fd = source->open(source->context);
	if (work->file.fd >= 0) {
		int fd = work->file.fd;

		work->may_change = source->file != NULL;
		if (work->may_change)
			work->file = *source->file;
		work->file.fd = fd;
		work->file.size = source->size;
		return work;
	}
	if (source->size <= copied && source->read(source->context, &work->in) == 0 && !buf_failed(&work->in))
		return work;
	job_free(work);
	return NULL;
}

bool
coding_job_later(struct handler *handler, const struct coded_source *source, struct hash key, enum coding coding,
    enum quality quality)
{
	struct pending_coding *room;
	struct coding_job *work;

	if (find_pending(handler, key) != NULL)
		return true;
	room = find_pending(handler, (struct hash){ 0, 0 });
	/* After the only request there is no idle time: the process would live on for it. */
	if (handler->options->alone || room == NULL)
		return false;
	work = job_new(handler, source, key, coding, quality, CODING_JOB_COPIED);
	if (work == NULL || !helper_submit(handler->helper, &work->job)) {
		job_free(work);
		return false;
	}
	*room = (struct pending_coding){ key, work };
	return true;
}

/* Whether the idle thread is at it. What it has not begun may have to wait there for long: it leaves that to who asks. */
static bool
is_begun(struct handler *handler, struct hash key)
{
	struct pending_coding *pending = find_pending(handler, key);

	return pending != NULL && atomic_flag_test_and_set(&pending->work->taken);
}

static bool
start_awaited(struct handler *handler, const struct coded_source *source, struct hash key, enum coding coding)
{
	struct coding_job *work = job_new(handler, source, key, coding, QUALITY_QUICK, CODING_JOB_LONGEST);

	if (work == NULL)
		return false;
	work->awaited = true;
	if (!helper_submit(handler->coder, &work->job)) {
		job_free(work);
		return false;
	}
	handler->awaited = (struct awaited_coding){ .valid = true, .pending = true, .key = key };
	return true;
}

bool
coding_job_await(struct handler *handler, const struct coded_source *source, struct hash key, enum coding coding,
    struct blob **blob)
{
	struct awaited_coding *awaited = &handler->awaited;
	bool same = awaited->valid && awaited->key.high == key.high && awaited->key.low == key.low;

	*blob = NULL;
	if (same && !awaited->pending) {
		*blob = awaited->blob;
		if (*blob != NULL)
			(*blob)->uses++;
		return false;
	}
	if (same)
		return true;
	if (!awaited->valid && !is_begun(handler, key) && start_awaited(handler, source, key, coding))
		return true;
	coding_job_later(handler, source, key, coding, QUALITY_QUICK);
	return false;
}

void
coding_job_forget(struct handler *handler)
{
	struct awaited_coding *awaited = &handler->awaited;

	if (!awaited->valid || awaited->pending)
		return;
	blob_put(handler->blobs, awaited->blob);
	*awaited = (struct awaited_coding){ 0 };
}
