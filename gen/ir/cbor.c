/* SPDX-License-Identifier: MIT */
#include "gen/ir/cbor.h"

void
cbor_head(struct buf *out, enum cbor_major major, uint64_t v)
{
	unsigned char b[9];
	unsigned n, i, info;

	if (v < 24) {
		buf_putc(out, (char)((unsigned)major << 5 | (unsigned)v));
		return;
	}
	n = v <= 0xff ? 1 : v <= 0xffff ? 2 : v <= 0xffffffff ? 4 : 8;
	info = n == 1 ? 24 : n == 2 ? 25 : n == 4 ? 26 : 27;
	b[0] = (unsigned char)((unsigned)major << 5 | info);
	for (i = 0; i < n; i++)
		b[1 + i] = (unsigned char)(v >> 8 * (n - 1 - i));
	buf_put(out, b, 1 + n);
}

void
cbor_bytes(struct buf *out, const void *p, size_t n)
{
	cbor_head(out, CBOR_BYTES, n);
	buf_put(out, p, n);
}

void
cbor_text(struct buf *out, const char *p, size_t n)
{
	cbor_head(out, CBOR_TEXT, n);
	buf_put(out, p, n);
}

void
cbor_int(struct buf *out, int64_t v)
{
	if (v < 0)
		cbor_head(out, CBOR_NEGINT, (uint64_t)(-1 - v));
	else
		cbor_head(out, CBOR_UINT, (uint64_t)v);
}

enum cbor_status
cbor_read_head(const uint8_t *p, size_t n, unsigned *major, uint64_t *value,
    size_t *len)
{
	static const uint64_t least[] = { 24, 0x100, 0x10000, 0x100000000 };
	unsigned info;
	size_t i, size;

	if (!n)
		return CBOR_ENDS_SHORT;
	*major = p[0] >> 5;
	info = p[0] & 31;
	*value = info;
	*len = 1;
	if (info < 24)
		return CBOR_OK;
	if (info == 31)
		return CBOR_INDEFINITE;
	if (info > 27)
		return CBOR_RESERVED;
	size = (size_t)1 << (info - 24);
	if (n - 1 < size)
		return CBOR_ENDS_SHORT;
	for (*value = 0, i = 0; i < size; i++)
		*value = *value << 8 | p[1 + i];
	*len = 1 + size;
	return *value < least[info - 24] ? CBOR_NOT_SHORTEST : CBOR_OK;
}
