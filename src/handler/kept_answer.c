/* What a warm small file costs beside one look is here: nothing is chosen, written or compared again but the request. Only what the
 * next request would get in every byte is kept: a strong tag, the best form of a coding, nothing that depends on who asks. */
#include "handler/kept_answer.h"

/* Longer lists of codings than any browser's are not worth their memory. */
#define ACCEPTED_MAX 128

/* Whether the request depends on nothing but the tag it may have. */
static bool
is_plain(const struct attempt *attempt)
{
	const struct request *request = attempt->request;

	return request->if_match.ptr == NULL && request->if_unmodified_since.ptr == NULL && request->range.ptr == NULL &&
	    !request->authenticated && !etag_is_unsettled(attempt->file.mtime, request->received);
}

/* Whether it names the tag and no other. */
static bool
has_tag(const struct request *request, struct str tag)
{
	return request->if_none_match.ptr != NULL && str_eq(str_trim(request->if_none_match), tag);
}

/* Whether it asks for everything. */
static bool
has_nothing(const struct request *request)
{
	return request->if_none_match.ptr == NULL && request->if_modified_since.ptr == NULL;
}

/* The newest that answers the request. */
static const struct kept_answer *
find(const struct attempt *attempt)
{
	const struct request *request = attempt->request;
	const struct kept_answer *answer = attempt->cached != NULL ? attempt->cached->answers : NULL;

	for (; answer != NULL; answer = answer->next) {
		if (answer->varies && !str_eq(answer->accepted, request->accept_encoding))
			continue;
		if (has_tag(request, answer->tag) || (answer->content != NULL && has_nothing(request)))
			return answer;
	}
	return NULL;
}

static void
respond_unchanged(struct response *response, const struct kept_answer *answer)
{
	response->status = STATUS_NOT_MODIFIED;
	response->reason = "answer, kept";
	buf_str(&response->fields, str_sub(answer->fields, answer->shared_from, answer->shared_len));
}

static void
respond_whole(struct response *response, const struct kept_answer *answer)
{
	struct blob *content = answer->content;

	response->status = STATUS_OK;
	response->reason = "answer, kept";
	response->content_length = content->length;
	buf_str(&response->fields, answer->fields);
	response_bytes(response, (struct str){ content->bytes, (size_t)content->length });
	content->uses++;
	response->owner = content;
}

bool
kept_answer_respond(struct attempt *attempt)
{
	const struct kept_answer *answer = find(attempt);

	if (answer == NULL || !is_plain(attempt))
		return false;
	if (has_nothing(attempt->request))
		respond_whole(attempt->response, answer);
	else
		respond_unchanged(attempt->response, answer);
	return true;
}

static bool
is_worth(const struct attempt *attempt, const struct kept_answer *answer)
{
	const struct request *request = attempt->request;

	if (attempt->cached == NULL || answer->accepted.len > ACCEPTED_MAX || (answer->varies && !attempt->coded.final))
		return false;
	if (answer->content == NULL ? !has_tag(request, answer->tag) : answer->content->bytes == NULL || !has_nothing(request))
		return false;
	return is_plain(attempt) && !buf_failed(&attempt->response->fields) && find(attempt) == NULL;
}

void
kept_answer_keep(struct attempt *attempt, struct blob *content)
{
	const struct response *response = attempt->response;
	bool varies = attempt->vary.len > 0;
	const struct kept_answer answer = {
		.accepted = varies ? attempt->request->accept_encoding : (struct str){ NULL, 0 },
		.varies = varies,
		.content = content,
		.fields = buf_view(&response->fields),
		.shared_from = content != NULL ? attempt->shared_from : 0,
		.shared_len = content != NULL ? attempt->shared_len : response->fields.len,
		.tag = attempt->representation.etag,
	};

	if (is_worth(attempt, &answer))
		filecache_keep_answer(&attempt->handler->files, attempt->cached, &answer);
}
