/* rows.c: codecs: which passes unpack, convert and pack a row of elements. */
#include "cpu/rows.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/float_control.h"
#include "base/memory.h"
#include "convert/convert.h"
#include "convert/packing.h"
#include "cpu/row_passes.h"
#include "schedule/facts.h"

enum {
  GROUP = RLT_CPU_ROW_GROUP,
  LINE = RLT_CPU_LINE_BYTES,
  BLOCK_BYTES = 2048,   /* of the wider of source and destination are taken at once, */
  BETWEEN_BYTES = 4096, /* the most that lie between two passes */
  AHEAD_BYTES = 4096,   /* of the source are fetched, which arithmetic keeps processors from */
  MOST_PASSES = 6,
  MOST_BYTES = 8, /* of an element that is converted or packed */
  TABLE_ENTRIES = 256
};

struct rlt_cpu_codec {
  const rlt_cpu_row_passes *passes; /* of the instruction set */
  rlt_cpu_pass *const *bytes;       /* in place of theirs, or NULL */
  rlt_cpu_pass *unpack;             /* NULL: the source is not packed */
  int64_t source_packed;
  int64_t word_bytes;
  int64_t destination_bits;
  bool destination_high;  /* the bits behind a last byte's elements are its low ones */
  int64_t word_parts;     /* a word counts as so many: where bytes are reversed, as its bytes */
  rlt_cpu_stream *stream; /* of bytes that are reversed or stay as they are; or NULL */
  int64_t block;  /* elements that go through all passes while they are in the first cache */
  int used_count; /* 0: words are the destination's elements */
  rlt_cpu_pass *used[MOST_PASSES];
  bool wants_floats;        /* some pass does, */
  rlt_float_control floats; /* and as this says */
  rlt_conversion conversion;
  rlt_cpu_row row;
  uint8_t *table; /* or NULL */
};

/* ---- Which passes ---- */

static bool is_integer(relayout_element_type type) {
  const relayout_element_kind kind = relayout_element_type_kind(type);
  return kind == RELAYOUT_KIND_SIGNED || kind == RELAYOUT_KIND_UNSIGNED;
}

static int64_t bytes_of(relayout_element_type type) {
  return (int64_t)relayout_element_type_byte_size(type);
}

/* false where the instruction set has no such pass. */
static bool add_pass(rlt_cpu_codec *codec, rlt_cpu_pass *pass) {
  if (pass != NULL) {
    codec->used[codec->used_count++] = pass;
  }
  return pass != NULL;
}

static void convert_one_by_one(const rlt_cpu_row *row, const uint8_t *from, uint8_t *to,
                               int64_t count) {
  rlt_convert_elements(row->conversion, from, to, count);
}

/* True if a byte's highest bit is the highest of what it becomes, and changes nothing else. */
static bool has_sign(const uint8_t *planes, int64_t bytes) {
  enum { HALF = TABLE_ENTRIES / 2, HIGHEST = 0x80 };
  bool found = true;
  for (int64_t i = 0; i < TABLE_ENTRIES * bytes; ++i) {
    const uint8_t sign = i / TABLE_ENTRIES == bytes - 1 ? HIGHEST : 0;
    found = found && (i % TABLE_ENTRIES < HALF ? (planes[i] & sign) == 0
                                               : planes[i] == (planes[i - HALF] | sign));
  }
  return found;
}

/* What each byte becomes, its planes, and a line that vectors may read. */
static size_t table_size(const rlt_cpu_codec *codec) {
  return (size_t)(2 * TABLE_ENTRIES * bytes_of(codec->conversion.to) + LINE);
}

static relayout_status make_table(rlt_cpu_codec *codec, relayout_error *error) {
  const size_t size = table_size(codec);
  codec->table = rlt_calloc(1, size);
  if (codec->table == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a table of %zu bytes", size);
  }
  uint8_t all[TABLE_ENTRIES];
  for (int i = 0; i < TABLE_ENTRIES; ++i) {
    all[i] = (uint8_t)i;
  }
  rlt_convert_elements(&codec->conversion, all, codec->table, TABLE_ENTRIES);
  const int64_t bytes = bytes_of(codec->conversion.to);
  uint8_t *const planes = codec->table + TABLE_ENTRIES * bytes;
  for (int64_t i = 0; i < TABLE_ENTRIES * bytes; ++i) {
    planes[i % bytes * TABLE_ENTRIES + i / bytes] = codec->table[i];
  }
  codec->row.table = codec->table;
  codec->row.planes = planes;
  codec->row.table_has_sign = has_sign(planes, bytes);
  return RELAYOUT_OK;
}

/* Bytes, through a table. */
static relayout_status add_table(rlt_cpu_codec *codec, relayout_error *error) {
  const relayout_element_type from = codec->conversion.from;
  const int64_t bytes = bytes_of(codec->conversion.to);
  const int size = rlt_word_size_number(bytes);
  if (relayout_element_type_kind(from) == RELAYOUT_KIND_PRED) {
    add_pass(codec, codec->passes->preds[size]);
  } else if (relayout_element_type_bits(from) <= 4) {
    add_pass(codec, codec->passes->nibbles[size]);
  } else if (codec->bytes != NULL && codec->bytes[size] != NULL) {
    add_pass(codec, codec->bytes[size]);
  } else {
    add_pass(codec, codec->passes->bytes[size]);
  }
  return make_table(codec, error);
}

/* The integers passes know: s8, s16, s32, s64, u8, u16, u32, u64. */
static int integer_number(bool is_signed, int64_t bytes) {
  return rlt_word_size_number(bytes) + (is_signed ? 0 : RLT_CPU_ROW_INTEGERS / 2);
}

static bool add_integers(rlt_cpu_codec *codec) {
  const rlt_conversion *const with = &codec->conversion;
  if (!is_integer(with->from) || !is_integer(with->to) || with->scale != 1 ||
      relayout_element_type_bits(with->from) < 8 || relayout_element_type_bits(with->to) < 8) {
    return false;
  }
  const int64_t from_bytes = bytes_of(with->from), to_bytes = bytes_of(with->to);
  const bool from_signed = relayout_element_type_kind(with->from) == RELAYOUT_KIND_SIGNED;
  const bool to_signed = relayout_element_type_kind(with->to) == RELAYOUT_KIND_SIGNED;
  const int from = integer_number(from_signed, from_bytes);
  const rlt_cpu_row_passes *const passes = codec->passes;
  if (with->wraps && to_bytes < from_bytes) {
    return add_pass(codec,
                    passes->low[rlt_word_size_number(from_bytes)][rlt_word_size_number(to_bytes)]);
  }
  const bool as_signed = with->wraps ? from_signed : to_signed;
  return add_pass(codec, passes->integers[from][integer_number(as_signed, to_bytes)]);
}

/* f32, exact or rounded to odd, to a float of at most 16 bits. */
static bool add_narrowing(rlt_cpu_codec *codec) {
  const relayout_element_type to = codec->conversion.to;
  codec->wants_floats = codec->wants_floats || to != RELAYOUT_BF16; /* made of integers */
  return add_pass(codec, codec->passes->of_f32[to]);
}

static void prefer(rlt_cpu_value_passes *passes, const rlt_cpu_value_passes *others) {
  for (int i = 0; i < RLT_CPU_VALUE_TARGETS; ++i) {
    passes->to[i] = others->to[i] != NULL ? others->to[i] : passes->to[i];
  }
}

/* The passes that read values of `from` and multiply them by this scale, the fastest there are. */
static rlt_cpu_value_passes value_passes(const rlt_cpu_codec *codec, relayout_element_type from) {
  enum { DOUBLE_DIGITS = 53, SINGLE_DIGITS = 24, FARTHEST = 700 };
  static const struct {
    relayout_element_type type;
    int digits;
  } sources[RLT_CPU_VALUE_SOURCES] = {[RLT_CPU_FROM_F32] = {RELAYOUT_F32, 24},
                                      [RLT_CPU_FROM_S32] = {RELAYOUT_S32, 32},
                                      [RLT_CPU_FROM_U32] = {RELAYOUT_U32, 32},
                                      [RLT_CPU_FROM_F64] = {RELAYOUT_F64, 53}};
  rlt_cpu_value_passes found = {{NULL}};
  const bool is_one = codec->conversion.scale == 1;
  if (is_one && (from == RELAYOUT_S64 || from == RELAYOUT_U64)) {
    return codec->passes->unscaled[from == RELAYOUT_S64 ? 0 : 1];
  }
  int source = 0;
  while (source < RLT_CPU_VALUE_SOURCES && sources[source].type != from) {
    ++source;
  }
  if (source == RLT_CPU_VALUE_SOURCES) {
    return found;
  }
  const rlt_cpu_row_passes *const passes = codec->passes;
  const rlt_scale_factor scale = rlt_conversion_scale_factor(&codec->conversion);
  const int digits = 64 - __builtin_ctzll(scale.digits);
  const bool is_moderate = scale.exponent >= -FARTHEST && scale.exponent <= FARTHEST;
  if (is_moderate && from != RELAYOUT_F64) {
    found = passes->any[source];
  }
  if (is_one ||
      (is_moderate && from != RELAYOUT_F64 && sources[source].digits + digits <= DOUBLE_DIGITS)) {
    prefer(&found, &passes->exact[source]);
  }
  if (from == RELAYOUT_F32 && digits <= SINGLE_DIGITS && scale.exponent >= -126 &&
      scale.exponent <= 127) {
    prefer(&found, &passes->single);
  }
  if (from == RELAYOUT_F32 && is_one && codec->conversion.to == RELAYOUT_S32) {
    found.to[RLT_CPU_TO_S32] = passes->f32_to_s32;
    found.to[RLT_CPU_NEAREST_S32] = passes->f32_nearest_s32;
  }
  /* A double's product is rounded to a double by the multiplication itself, whatever the scale. */
  found.to[RLT_CPU_TO_F64] = passes->exact[source].to[RLT_CPU_TO_F64];
  return found;
}

static bool add_integers_of_values(rlt_cpu_codec *codec, const rlt_cpu_value_passes *values) {
  const relayout_element_type to = codec->conversion.to;
  const int bits = relayout_element_type_bits(to);
  const bool is_signed = relayout_element_type_kind(to) == RELAYOUT_KIND_SIGNED;
  if (codec->conversion.wraps) {
    return false;
  }
  rlt_cpu_pass *const *const passes =
      values->to + (codec->conversion.rounds_to_nearest ? RLT_CPU_NEAREST_S32 - RLT_CPU_TO_S32 : 0);
  if (bits == 64 || (bits == 32 && !is_signed)) {
    return add_pass(codec, passes[bits == 32  ? RLT_CPU_TO_U32
                                  : is_signed ? RLT_CPU_TO_S64
                                              : RLT_CPU_TO_U64]);
  }
  const double end = (double)(INT64_C(1) << (is_signed ? bits - 1 : bits));
  codec->row.lowest = is_signed ? -end : 0;
  codec->row.highest = end - 1;
  codec->row.low_mask = (uint32_t)((UINT64_C(1) << bits) - 1);
  if (bits <= 8) {
    return add_pass(codec, passes[RLT_CPU_TO_BYTE]);
  }
  rlt_cpu_pass *const to_half =
      codec->passes->low[rlt_word_size_number(4)][rlt_word_size_number(2)];
  return add_pass(codec, passes[RLT_CPU_TO_S32]) && (bits == 32 || add_pass(codec, to_half));
}

/* Values as they are or in f32, scaled as doubles, and rounded to f32 or to odd on the way to what
 * is narrower. */
static bool add_values(rlt_cpu_codec *codec) {
  const relayout_element_type to = codec->conversion.to;
  rlt_cpu_pass *const widens = codec->passes->to_f32[codec->conversion.from];
  const bool is_narrow = add_pass(codec, widens);
  codec->wants_floats = codec->wants_floats || codec->conversion.from == RELAYOUT_F16;
  const relayout_element_type from = is_narrow ? RELAYOUT_F32 : codec->conversion.from;
  const bool is_f32 = from == RELAYOUT_F32 && codec->conversion.scale == 1;
  if (is_f32 && to == RELAYOUT_F32) {
    return is_narrow;
  }
  if (is_f32 && add_narrowing(codec)) {
    return true;
  }
  const rlt_cpu_value_passes values = value_passes(codec, from);
  codec->wants_floats = true;
  if (to == RELAYOUT_F32) {
    return add_pass(codec, values.to[RLT_CPU_TO_F32]);
  }
  if (to == RELAYOUT_F64) {
    return add_pass(codec, values.to[RLT_CPU_TO_F64]);
  }
  return is_integer(to) ? add_integers_of_values(codec, &values)
                        : add_pass(codec, values.to[RLT_CPU_TO_ODD]) && add_narrowing(codec);
}

/* True for integers of a byte that are made floats of faster than these are looked up: tables of
 * four bytes an entry are gathered from. */
static bool is_sooner_computed(const rlt_cpu_codec *codec) {
  const rlt_conversion *const with = &codec->conversion;
  const rlt_cpu_row_passes *const passes = codec->passes;
  return passes->to_f32[with->from] != NULL &&
         (with->to == RELAYOUT_F32 ||
          (with->to == RELAYOUT_F16 && with->scale == 1 && passes->halves_by_f32));
}

/* Bytes go through tables, most of them. */
static relayout_status add_conversion(rlt_cpu_codec *codec, relayout_error *error) {
  const rlt_conversion *const with = &codec->conversion;
  const bool is_byte = relayout_element_type_bits(with->from) <= 8;
  const int before = codec->used_count;
  if (add_integers(codec) || ((!is_byte || is_sooner_computed(codec)) && add_values(codec))) {
    return RELAYOUT_OK;
  }
  codec->used_count = before;
  codec->wants_floats = false;
  if (is_byte) {
    return add_table(codec, error);
  }
  add_pass(codec, convert_one_by_one);
  return RELAYOUT_OK;
}

/* True if subnormals become what 0 does, as they are less than half of an integer. Those of f16 are
 * more, and become an f32 by way of subnormals. */
static bool takes_subnormals_as_zeros(const rlt_conversion *with) {
  const double most = 0x1p125; /* a subnormal f32 is less than 2^-126, and one of f64 far less */
  const bool is_far =
      with->from == RELAYOUT_F32 || with->from == RELAYOUT_BF16 || with->from == RELAYOUT_F64;
  return is_far && is_integer(with->to) && with->scale >= -most && with->scale <= most;
}

/* Which every instruction set has. */
static void add_swap(rlt_cpu_codec *codec, relayout_element_type type) {
  add_pass(codec, codec->passes->swap[rlt_word_size_number(bytes_of(type))]);
}

/* Between passes elements have the host's order of bytes. */
static relayout_status add_ordered_conversion(rlt_cpu_codec *codec, const rlt_problem *problem,
                                              relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  if (problem->source_swapped) {
    add_swap(codec, problem->conversion.from);
  }
  if (!rlt_problem_only_swaps(problem)) {
    status = add_conversion(codec, error);
  }
  if (status == RELAYOUT_OK && problem->destination_swapped) {
    add_swap(codec, problem->conversion.to);
  }
  return status;
}

/* Which is the only pass. */
static void add_reversal(rlt_cpu_codec *codec, int64_t bits) {
  add_pass(codec, codec->passes->reverse[rlt_word_size_number(bits)]);
  codec->stream = codec->passes->stream_reversed[rlt_word_size_number(bits)];
  codec->word_parts = codec->word_bytes;
  codec->word_bytes = 1;
  codec->destination_bits = 8;
}

relayout_status rlt_cpu_codec_create(const rlt_cpu_instruction_set *set, const rlt_problem *problem,
                                     rlt_cpu_codec **codec, relayout_error *error) {
  rlt_cpu_codec *const made = rlt_calloc(1, sizeof *made);
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a codec of %zu bytes",
                    sizeof *made);
  }
  made->passes = set->rows;
  made->bytes = set->bytes;
  made->source_packed = problem->source_packed;
  made->word_bytes = problem->element_bytes;
  made->destination_bits = rlt_problem_destination_bits(problem);
  made->destination_high = problem->destination_high;
  made->word_parts = 1;
  made->conversion = problem->conversion;
  made->floats = takes_subnormals_as_zeros(&problem->conversion) ? RLT_FLUSHING_FLOAT_CONTROL
                                                                 : RLT_USUAL_FLOAT_CONTROL;
  made->row = (rlt_cpu_row){
      .conversion = &made->conversion, .scale = problem->conversion.scale, .low_mask = UINT32_MAX};
  if (problem->source_packed > 0) {
    made->unpack =
        set->rows->unpack[problem->source_high][rlt_word_size_number(problem->source_packed)];
  }
  relayout_status status = RELAYOUT_OK;
  if (rlt_converts(&problem->conversion)) {
    status = add_ordered_conversion(made, problem, error);
  }
  if (status != RELAYOUT_OK) {
    rlt_cpu_codec_destroy(made);
    return status;
  }
  if (problem->destination_packed > 0) {
    add_pass(made, set->rows->pack[problem->destination_high]
                                  [rlt_word_size_number(problem->destination_packed)]);
  }
  if (problem->reversed_bits > 0) {
    add_reversal(made, problem->reversed_bits);
  } else if (made->used_count == 0) {
    made->stream = set->rows->stream;
  }
  const int64_t widest = rlt_max(made->word_bytes, made->destination_bits / 8);
  made->block = rlt_min(BLOCK_BYTES / widest,
                        made->used_count > 1 ? BETWEEN_BYTES / MOST_BYTES : BLOCK_BYTES);
  *codec = made;
  return RELAYOUT_OK;
}

void rlt_cpu_codec_destroy(rlt_cpu_codec *codec) {
  if (codec != NULL) {
    rlt_free(codec->table);
    rlt_free(codec);
  }
}

size_t rlt_cpu_codec_bytes(const rlt_cpu_codec *codec) {
  return codec == NULL ? 0 : sizeof *codec + (codec->table == NULL ? 0 : table_size(codec));
}

/* ---- Rows ---- */

void rlt_cpu_codec_decode(const rlt_cpu_codec *codec, const uint8_t *source, int64_t first,
                          uint8_t *words, int64_t count) {
  if (count == 0) {
    return;
  }
  const int64_t bits = codec->source_packed, in_a_byte = 8 / bits;
  /* From the byte where the first one lies. */
  const int64_t ahead = first % in_a_byte;
  const uint8_t *const from = source + first / in_a_byte;
  uint8_t *const to = words - ahead;
  const int64_t all = count + ahead, whole = all / GROUP * GROUP, rest = all - whole;
  codec->unpack(&codec->row, from, to, whole);
  if (rest > 0) {
    uint8_t last[GROUP] = {0};
    memcpy(last, from + whole / in_a_byte, (size_t)rlt_packed_bytes(rest, bits));
    codec->unpack(&codec->row, last, to + whole, GROUP);
  }
}

/* Groups, at most a block of them. */
static void run_all_passes(const rlt_cpu_codec *codec, const uint8_t *words, uint8_t *to,
                           int64_t count) {
  _Alignas(LINE) uint8_t between[2][BETWEEN_BYTES];
  const uint8_t *from = words;
  for (int i = 0; i < codec->used_count; ++i) {
    uint8_t *const next = i + 1 < codec->used_count ? between[i % 2] : to;
    codec->used[i](&codec->row, from, next, count);
    from = next;
  }
}

static inline void run_passes(const rlt_cpu_codec *codec, const uint8_t *words, uint8_t *to,
                              int64_t count) {
  if (codec->used_count == 1) {
    codec->used[0](&codec->row, words, to, count);
  } else {
    run_all_passes(codec, words, to, count);
  }
}

/* Fewer than a group; the last byte's spare bits are 0. Their bytes. */
static int64_t run_rest(const rlt_cpu_codec *codec, const uint8_t *words, const uint8_t *end,
                        uint8_t *to, int64_t count) {
  _Alignas(LINE) uint8_t made[GROUP * MOST_BYTES];
  if (end - words >= GROUP * codec->word_bytes) {
    run_passes(codec, words, made, GROUP);
  } else {
    _Alignas(LINE) uint8_t from[GROUP * MOST_BYTES] = {0};
    memcpy(from, words, (size_t)(count * codec->word_bytes));
    run_passes(codec, from, made, GROUP);
  }
  const int64_t bits = count * codec->destination_bits, bytes = (bits + 7) / 8;
  if (bits % 8 != 0) {
    made[bytes - 1] &= rlt_packed_used(bits % 8, codec->destination_high);
  }
  memcpy(to, made, (size_t)bytes);
  return bytes;
}

rlt_float_control rlt_cpu_codec_enter(const rlt_cpu_codec *codec) {
  return codec != NULL && codec->wants_floats ? rlt_floats_enter_as(codec->floats) : 0;
}

void rlt_cpu_codec_leave(const rlt_cpu_codec *codec, rlt_float_control was) {
  if (codec != NULL && codec->wants_floats) {
    rlt_floats_leave_as(codec->floats, was);
  }
}

/* At most a block; the bytes made. The last group is made twice, in part, rather than brought
 * elsewhere: a vector cannot be loaded of what several stores have just written before these have
 * gone to the cache, behind all that is stored past it. */
static int64_t run_block(const rlt_cpu_codec *codec, const uint8_t *words, const uint8_t *end,
                         uint8_t *to, int64_t count) {
  const int64_t whole = count / GROUP * GROUP, bits = codec->destination_bits;
  run_passes(codec, words, to, whole);
  const int64_t bytes = whole * bits / 8;
  if (whole == count) {
    return bytes;
  }
  if (whole > 0 && count * bits % 8 == 0) {
    const int64_t before = count - GROUP;
    run_passes(codec, words + before * codec->word_bytes, to + before * bits / 8, GROUP);
    return count * bits / 8;
  }
  return bytes + run_rest(codec, words + whole * codec->word_bytes, end, to + bytes, count - whole);
}

static void encode_parts(const rlt_cpu_codec *codec, const uint8_t *words, const uint8_t *end,
                         uint8_t *to, int64_t count) {
  for (int64_t i = 0; i < count; i += codec->block) {
    run_block(codec, words + i * codec->word_bytes, end, to + i * codec->destination_bits / 8,
              rlt_min(count - i, codec->block));
  }
}

/* The end of the words. */
static const uint8_t *end_of(const rlt_cpu_codec *codec, const uint8_t *words, int64_t word_count) {
  return words + word_count * codec->word_parts * codec->word_bytes;
}

void rlt_cpu_codec_encode(const rlt_cpu_codec *codec, const uint8_t *words, uint8_t *destination,
                          int64_t word_count) {
  const rlt_float_control was = rlt_cpu_codec_enter(codec);
  rlt_cpu_codec_encode_within(codec, words, end_of(codec, words, word_count), destination,
                              word_count);
  rlt_cpu_codec_leave(codec, was);
}

void rlt_cpu_codec_encode_within(const rlt_cpu_codec *codec, const uint8_t *words,
                                 const uint8_t *end, uint8_t *destination, int64_t word_count) {
  const int64_t count = word_count * codec->word_parts;
  if (codec->used_count == 0) {
    memcpy(destination, words, (size_t)(count * codec->word_bytes));
    return;
  }
  encode_parts(codec, words, end, destination, count);
}

/* Compiled for each level: asking for it at every line takes a fifth of the time. */
static inline __attribute__((always_inline)) void
encode_fetching(const rlt_cpu_codec *codec, const uint8_t *words, const uint8_t *end, uint8_t *to,
                int64_t count, rlt_cpu_prefetching *ahead, int32_t level) {
  const int64_t piece = RLT_CPU_FETCHING_PIECE;
  int64_t left = count;
  for (; left >= piece; left -= piece) {
    run_passes(codec, words, to, piece);
    words += piece * codec->word_bytes;
    to += piece * codec->destination_bits / 8;
    rlt_cpu_fetch_some(ahead, ahead->pace, level);
  }
  if (left > 0) {
    run_block(codec, words, end, to, left);
    rlt_cpu_fetch_some(ahead, ahead->pace, level);
  }
}

void rlt_cpu_codec_encode_fetching(const rlt_cpu_codec *codec, const uint8_t *words,
                                   const uint8_t *end, uint8_t *destination, int64_t word_count,
                                   rlt_cpu_prefetching *ahead, int32_t level) {
  if (level == 1) {
    encode_fetching(codec, words, end, destination, word_count, ahead, 1);
  } else if (level == 2) {
    encode_fetching(codec, words, end, destination, word_count, ahead, 2);
  } else {
    encode_fetching(codec, words, end, destination, word_count, ahead, 3);
  }
}

/* Bytes of the destination that lie in a line there, put aside in the same place of a line. */
typedef struct outflow {
  const rlt_cpu_codec *codec;
  uint8_t *line; /* of the destination, where `pending` goes */
  int64_t first; /* the first byte of that line which is the row's */
  int64_t end;   /* the bytes put aside end there */
  _Alignas(LINE) uint8_t pending[LINE + BLOCK_BYTES];
} outflow;

static void flow_out(outflow *of) {
  uint8_t *from = of->pending;
  if (of->first > 0 && of->end >= LINE) {
    memcpy(of->line + of->first, from + of->first, (size_t)(LINE - of->first));
    of->first = 0;
    of->line += LINE;
    of->end -= LINE;
    from += LINE;
  }
  const int64_t lines = of->end / LINE;
  if (of->first == 0 && lines > 0) {
    of->codec->passes->stream(of->line, from, lines);
    of->line += lines * LINE;
    of->end -= lines * LINE;
    from += lines * LINE;
  }
  memmove(of->pending, from, (size_t)of->end);
}

/* Into the second cache. */
static void fetch_block(const uint8_t *words, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += LINE) {
    __builtin_prefetch(words + i, 0, 2);
  }
}

void rlt_cpu_codec_stream_lines(const rlt_cpu_codec *codec, const uint8_t *from,
                                uint8_t *destination, int64_t lines) {
  codec->passes->stream(destination, from, lines);
}

/* Bytes that stay as they are, or are reversed. */
static void put_bytes(const rlt_cpu_codec *codec, const uint8_t *from, uint8_t *to, int64_t count) {
  if (codec->used_count == 0) {
    memcpy(to, from, (size_t)count);
  } else {
    encode_parts(codec, from, from + count, to, count);
  }
}

static void stream_bytes(const rlt_cpu_codec *codec, const uint8_t *words, uint8_t *destination,
                         int64_t bytes) {
  const int64_t before = rlt_min((int64_t)(-(uintptr_t)destination % LINE), bytes);
  const int64_t lines = (bytes - before) / LINE;
  put_bytes(codec, words, destination, before);
  codec->stream(destination + before, words + before, lines);
  const int64_t done = before + lines * LINE;
  put_bytes(codec, words + done, destination + done, bytes - done);
}

void rlt_cpu_codec_stream(const rlt_cpu_codec *codec, const uint8_t *words, uint8_t *destination,
                          int64_t word_count) {
  const rlt_float_control was = rlt_cpu_codec_enter(codec);
  rlt_cpu_codec_stream_within(codec, words, end_of(codec, words, word_count), destination,
                              word_count);
  rlt_cpu_codec_leave(codec, was);
}

void rlt_cpu_codec_stream_within(const rlt_cpu_codec *codec, const uint8_t *words,
                                 const uint8_t *end, uint8_t *destination, int64_t word_count) {
  const int64_t count = word_count * codec->word_parts;
  if (codec->stream != NULL) {
    stream_bytes(codec, words, destination, count * codec->word_bytes);
    return;
  }
  outflow out;
  out.codec = codec;
  out.first = out.end = (int64_t)((uintptr_t)destination % LINE);
  out.line = destination - out.first;
  const int64_t block = codec->block, ahead = AHEAD_BYTES / codec->word_bytes;
  for (int64_t i = 0; i < count; i += block) {
    if (i + ahead + block <= count) {
      fetch_block(words + (i + ahead) * codec->word_bytes, block * codec->word_bytes);
    }
    out.end += run_block(codec, words + i * codec->word_bytes, end, out.pending + out.end,
                         rlt_min(count - i, block));
    flow_out(&out);
  }
  memcpy(out.line + out.first, out.pending + out.first, (size_t)(out.end - out.first));
}
