/* rows.h: rows of elements that are unpacked, converted and packed at once.
 *
 * Elements that tiles move are words of whole bytes, of the source's type. A codec changes packed
 * elements to words, and words to elements of the destination.
 *
 * Depends on problem/ and instruction_sets.h.
 */
#ifndef RLT_CPU_ROWS_H
#define RLT_CPU_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "cpu/instruction_sets.h"
#include "problem/problem.h"
#include "relayout/status.h"

typedef struct rlt_cpu_codec rlt_cpu_codec;

/* For a problem's packed sides, what it reverses and its conversion, which has been checked. It may
 * be used from many threads at once. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_cpu_codec_create(const rlt_cpu_instruction_set *set, const rlt_problem *problem,
                                     rlt_cpu_codec **codec, relayout_error *error);
void rlt_cpu_codec_destroy(rlt_cpu_codec *codec);

/* The memory that it takes; 0 for NULL. */
size_t rlt_cpu_codec_bytes(const rlt_cpu_codec *codec);

/* Elements first .. first+count-1 of the packed `source`, to bytes at `words`. Fewer than 8 bytes
 * before `words` and 64 behind the last one may be written; only bytes that hold those elements are
 * read. For codecs of a packed source. */
void rlt_cpu_codec_decode(const rlt_cpu_codec *codec, const uint8_t *source, int64_t first,
                          uint8_t *words, int64_t count);

/* Words to elements of the destination, from the start of a byte on where they are packed; spare
 * bits of the last byte are 0. Nothing else is read or written. */
void rlt_cpu_codec_encode(const rlt_cpu_codec *codec, const uint8_t *words, uint8_t *destination,
                          int64_t word_count);

/* The same past the cache, line by line; the kernels' `finish` makes it visible
 * to other threads. */
void rlt_cpu_codec_stream(const rlt_cpu_codec *codec, const uint8_t *words, uint8_t *destination,
                          int64_t word_count);

/* The same where all up to `end` may be read behind the words, whatever is there: fewer words than
 * a group need not be brought elsewhere. */
void rlt_cpu_codec_encode_within(const rlt_cpu_codec *codec, const uint8_t *words,
                                 const uint8_t *end, uint8_t *destination, int64_t word_count);
void rlt_cpu_codec_stream_within(const rlt_cpu_codec *codec, const uint8_t *words,
                                 const uint8_t *end, uint8_t *destination, int64_t word_count);

/* Lines that have been encoded, past the cache, to where a line begins. */
void rlt_cpu_codec_stream_lines(const rlt_cpu_codec *codec, const uint8_t *from,
                                uint8_t *destination, int64_t lines);

#endif
