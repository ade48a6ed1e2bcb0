#include "cpu/merge.h"

#include <string.h>

#include "base/checked.h"
#include "cpu/row_stages.h"

/* The bits of `mask`; the others may be written meanwhile. */
static void put_bits(uint8_t *byte, int mask, int bits) {
  uint8_t found = __atomic_load_n(byte, __ATOMIC_RELAXED);
  uint8_t merged;
  do {
    merged = (uint8_t)((found & ~mask) | (bits & mask));
  } while (
      !__atomic_compare_exchange_n(byte, &found, merged, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* From bit `first` of the first byte to bit `end`, counted from there. Whole bytes are nobody else's. */
static void put_bytes(const rlt_cpu_codec *codec, bool streams, const uint8_t *encoded, uint8_t *to,
                      int64_t first, int64_t end) {
  const int64_t whole = end / 8;
  int64_t done = 0;
  if (first > 0 || whole == 0) {
    put_bits(to, (0xff << first) & (whole == 0 ? (1 << end) - 1 : 0xff), encoded[0]);
    done = 1;
  }
  if (done < whole && streams) {
    rlt_cpu_codec_stream_bytes(codec, encoded + done, to + done, whole - done);
  } else if (done < whole) {
    memcpy(to + done, encoded + done, (size_t)(whole - done));
  }
  if (whole > 0 && end % 8 > 0) {
    put_bits(to + whole, (1 << end % 8) - 1, encoded[whole]);
  }
}

/* Words before those that are asked for bring them to the bits where they belong. */
void rlt_cpu_merge(const rlt_problem *problem, const rlt_cpu_codec *codec, bool streams,
                   const uint8_t *words, uint8_t *encoded, uint8_t *destination, int64_t position,
                   int64_t count) {
  const int64_t bits = problem->destination_packed, in_a_byte = 8 / bits;
  const int64_t before = position % in_a_byte;
  const int64_t all = before + count;
  /* Whole groups are encoded faster. */
  const int64_t taken =
      problem->element_bytes == 1 ? rlt_divide_up(all, RLT_CPU_ROW_GROUP) * RLT_CPU_ROW_GROUP : all;
  rlt_cpu_codec_encode(codec, words - before * problem->element_bytes, encoded, taken);
  int64_t end = all * bits;
  if (position + count == problem->destination_elements && end % 8 > 0) {
    encoded[end / 8] &= (uint8_t)((1 << end % 8) - 1);
    end = rlt_divide_up(end, 8) * 8;
  }
  put_bytes(codec, streams, encoded, destination + position / in_a_byte, before * bits, end);
}
