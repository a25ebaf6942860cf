/* Entity tags. They are made of what a stat already knows, so that a 304 costs no read of the file; the price
 * is that a tag given out while the file's clock may still hide a second change has to be a weak one. */
#include "http/etag.h"

#include "http/date.h"

/* What mod_deflate, mod_brotli and their like put inside the quotes of a body that they compressed. */
static const struct str compression_suffixes[] = {
	STR("-gzip"), STR("-br"), STR("-zstd"), STR("-deflate"), STR(";gzip"), STR(";br"),
};

/* An entity-tag taken apart: what stands between the quotes. */
struct tag {
	bool weak;
	struct str opaque;
};

static void
format_hex_pair(struct buf *out, int64_t time, int64_t size)
{
	buf_char(out, '"');
	buf_hex(out, (uint64_t)time);
	buf_char(out, '-');
	buf_hex(out, (uint64_t)size);
	buf_char(out, '"');
}

void
etag_format(struct buf *out, int64_t mtime_ns, int64_t size, bool weak)
{
	if (weak)
		buf_text(out, "W/");
	format_hex_pair(out, mtime_ns, size);
}

void
etag_format_nginx(struct buf *out, int64_t mtime_ns, int64_t size)
{
	format_hex_pair(out, seconds_from_nanoseconds(mtime_ns), size);
}

bool
etag_is_unsettled(int64_t mtime_ns, int64_t received)
{
	if (mtime_ns >= received)
		return true;
	/* Unsigned: the distance of two int64 always fits. */
	return (uint64_t)received - (uint64_t)mtime_ns <= (uint64_t)ETAG_SETTLE_NANOSECONDS;
}

/* RFC 9110 8.8.3: etagc = %x21 / %x23-7E / obs-text. No blank, and no escape of any kind. */
static bool
is_etagc(char c)
{
	unsigned char byte = (unsigned char)c;

	return byte == 0x21 || (byte >= 0x23 && byte <= 0x7e) || byte >= 0x80;
}

/* Reads a value that is one entity-tag and nothing else; the W is case-sensitive. */
static bool
read_tag(struct str value, struct tag *tag)
{
	tag->weak = str_starts(value, S("W/"));
	if (tag->weak)
		value = str_after(value, 2);
	if (value.len < 2 || value.ptr[0] != '"' || value.ptr[value.len - 1] != '"')
		return false;
	tag->opaque = str_sub(value, 1, value.len - 2);
	for (size_t i = 0; i < tag->opaque.len; i++)
		if (!is_etagc(tag->opaque.ptr[i]))
			return false;
	return true;
}

/* The next list member, trimmed. A comma inside quotes is part of the tag (RFC 9110 8.8.3). */
static bool
cut_member(struct str *list, struct str *member)
{
	bool quoted = false;
	size_t len = 0;

	if (list->len == 0)
		return false;
	while (len < list->len && (quoted || list->ptr[len] != ',')) {
		if (list->ptr[len] == '"')
			quoted = !quoted;
		len++;
	}
	*member = str_trim(str_sub(*list, 0, len));
	*list = str_after(*list, len + 1);
	return true;
}

static bool
is_suffixed(struct str opaque, struct str own)
{
	struct str rest;

	if (!str_starts(opaque, own))
		return false;
	rest = str_after(opaque, own.len);
	for (size_t i = 0; i < sizeof(compression_suffixes) / sizeof(compression_suffixes[0]); i++)
		if (str_eq(rest, compression_suffixes[i]))
			return true;
	return false;
}

/* RFC 9110 8.8.3.2. An own tag that is empty, or none, equals nothing. */
static bool
tag_matches(const struct tag *theirs, struct str own_value, enum etag_comparison how)
{
	struct tag own;

	if (!read_tag(own_value, &own))
		return false;
	if (how == ETAG_STRONG)
		return !theirs->weak && !own.weak && str_eq(theirs->opaque, own.opaque);
	return str_eq(theirs->opaque, own.opaque) || is_suffixed(theirs->opaque, own.opaque);
}

bool
etag_is_same(struct str tag, struct str own, struct str alias, enum etag_comparison how)
{
	struct tag theirs, ours;

	if (!read_tag(str_trim(tag), &theirs))
		return false;
	if (tag_matches(&theirs, own, how))
		return true;
	/* What makes the own tag weak is the file: another spelling does not make it strong. */
	if (how == ETAG_STRONG && read_tag(own, &ours) && ours.weak)
		return false;
	return tag_matches(&theirs, alias, how);
}

bool
etag_list_has(struct str list, struct str own, struct str alias, enum etag_comparison how)
{
	struct str member;

	if (str_eq(str_trim(list), S("*")))
		return true;
	while (cut_member(&list, &member))
		if (etag_is_same(member, own, alias, how))
			return true;
	return false;
}
