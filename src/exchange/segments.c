/* segments.c: cuts a shard's blocks where the other side's blocks end, and joins what lies
 * together. */
#include "exchange/segments.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"

/* Where an element of the dimension lies in its shard. */
static int64_t place_in_shard(rlt_deal of, int64_t element) {
  return element / of.block / of.shards * of.block + element % of.block;
}

/* Those of own block `number`, in order. `of` may be NULL: they are counted. */
static int64_t add_segments(const rlt_line *along, int64_t shard, int64_t number, rlt_segment *of) {
  const rlt_deal own = along->own, other = along->other;
  const int64_t block = number * own.shards + shard;
  const int64_t start = rlt_max(block * own.block - along->own_start, 0);
  const int64_t end = rlt_min(rlt_deal_block_end(own, block) - along->own_start, along->size);
  int64_t count = 0;
  for (int64_t at = start; at < end;) {
    const int64_t there = along->other_start + at;
    const int64_t met = there / other.block;
    const int64_t next = rlt_min(rlt_deal_block_end(other, met) - along->other_start, end);
    if (of != NULL) {
      of[count] = (rlt_segment){.other = met % other.shards,
                                .start = at,
                                .size = next - at,
                                .own_start = place_in_shard(own, along->own_start + at),
                                .other_start = place_in_shard(other, there)};
    }
    ++count;
    at = next;
  }
  return count;
}

/* By the other shard, the order of starts being kept: merged from two halves. */
static void sort_segments(rlt_segment *of, rlt_segment *room, int64_t count) {
  if (count < 2) {
    return;
  }
  const int64_t half = count / 2;
  sort_segments(of, room, half);
  sort_segments(of + half, room, count - half);
  memcpy(room, of, (size_t)half * sizeof *of);
  int64_t a = 0, b = half, at = 0;
  while (a < half) {
    of[at++] = b == count || room[a].other <= of[b].other ? room[a++] : of[b++];
  }
}

/* Sorted segments that lie behind each other in both shards become one, wherever their blocks are
 * in the tensor. Returns how many are left. */
static int64_t join_segments(rlt_segment *of, int64_t count) {
  int64_t left = 0;
  for (int64_t i = 0; i < count; ++i) {
    rlt_segment *const last = left > 0 ? &of[left - 1] : NULL;
    if (last != NULL && last->other == of[i].other &&
        last->own_start + last->size == of[i].own_start &&
        last->other_start + last->size == of[i].other_start) {
      last->size += of[i].size;
    } else {
      of[left++] = of[i];
    }
  }
  return left;
}

bool rlt_segments_make(const rlt_line *along, int64_t shard, rlt_segments *made) {
  const int64_t blocks = rlt_deal_blocks(along->own, shard);
  *made = (rlt_segments){.count = 0};
  for (int64_t b = 0; b < blocks; ++b) {
    made->count += add_segments(along, shard, b, NULL);
  }
  made->of = rlt_calloc((size_t)made->count * 2 + 1, sizeof *made->of);
  made->groups = rlt_calloc((size_t)made->count + 1, sizeof *made->groups);
  if (made->of == NULL || made->groups == NULL) {
    return false;
  }
  int64_t count = 0;
  for (int64_t b = 0; b < blocks; ++b) {
    count += add_segments(along, shard, b, made->of + count);
  }
  sort_segments(made->of, made->of + count, count);
  count = join_segments(made->of, count);
  for (int64_t i = 0; i < count; ++i) {
    if (i == 0 || made->of[i].other != made->of[i - 1].other) {
      made->groups[made->group_count++] = i;
    }
  }
  made->groups[made->group_count] = count;
  return true;
}

void rlt_segments_free(rlt_segments *of) {
  rlt_free(of->of);
  rlt_free(of->groups);
}
