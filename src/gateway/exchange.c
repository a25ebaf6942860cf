/* The one place that writes a CGI header section. Status always, unless a local redirect is meant: without it
 * Apache would answer conditionals itself and take a Location for an internal redirect. */
#include "gateway/exchange.h"

#include <assert.h>

/* Answers above this give their memory back, so that one huge listing does not stay in every connection. */
#define KEEP_MEMORY ((size_t)256 << 10)

void
exchange_init(struct exchange *exchange)
{
	*exchange = (struct exchange){ 0 };
	response_init(&exchange->response);
	buf_init(&exchange->scratch, (size_t)4 << 20);
	buf_init(&exchange->head, (size_t)80 << 10);
	buf_init(&exchange->block, (size_t)64 << 10);
}

void
exchange_release(struct exchange *exchange)
{
	response_release(&exchange->response);
	buf_release(&exchange->scratch);
	buf_release(&exchange->head);
	buf_release(&exchange->block);
}

static void
trim_memory(struct buf *b)
{
	if (b->cap > KEEP_MEMORY)
		buf_release(b);
	buf_reset(b);
}

void
exchange_reset(struct exchange *exchange)
{
	exchange->params = (struct params){ 0 };
	exchange->request = (struct request){ 0 };
	trim_memory(&exchange->response.text);
	response_reset(&exchange->response);
	trim_memory(&exchange->scratch);
	buf_reset(&exchange->head);
	buf_release(&exchange->block);
	exchange->ends_short = false;
	exchange->refused = STATUS_UNDECIDED;
	exchange->sent = 0;
	exchange->whole = false;
}

void
exchange_again(struct exchange *exchange)
{
	struct request before = exchange->request;

	exchange->request = (struct request){ .received = before.received, .order = before.order };
	response_reset(&exchange->response);
	buf_reset(&exchange->scratch);
}

void
exchange_write_head(struct exchange *exchange)
{
	const struct response *response = &exchange->response;
	struct buf *head = &exchange->head;

	assert(response->status != STATUS_UNDECIDED);
	if (!response->local_redirect) {
		buf_text(head, "Status: ");
		buf_int(head, response->status);
		buf_char(head, ' ');
		buf_text(head, status_reason(response->status));
		buf_text(head, "\r\n");
	}
	buf_str(head, buf_view(&response->fields));
	if (response->content_length >= 0) {
		buf_text(head, "Content-Length: ");
		buf_int(head, response->content_length);
		buf_text(head, "\r\n");
	}
	buf_text(head, "\r\n");
}

int64_t
exchange_content_length(const struct exchange *exchange)
{
	const struct response *response = &exchange->response;
	int64_t sum = 0;

	if (response->content_omitted)
		return 0;
	for (size_t i = 0; i < response->segment_count; i++)
		sum += response->segments[i].length;
	return sum;
}
