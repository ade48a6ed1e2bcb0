/* pieces.c: the pieces that segments along all dimensions make, and who sends each. */
#include "exchange/pieces.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "exchange/segments.h"
#include "metadata/device_order.h"

/* ---- Peers ---------------------------------------------------------------------------------- */

/* Which shard a peer has on a side, and which of its devices it is. */
static rlt_shard_place place_of_peer(const rlt_exchange_side *side, int64_t peer) {
  const int64_t device = peer - side->first_peer;
  return device >= 0 && device < side->devices ? rlt_shard_place_of(&side->sharding, device)
                                               : (rlt_shard_place){.holds = false};
}

static int64_t peer_of(const rlt_exchange_side *side, const int64_t *shard, int64_t replica) {
  const relayout_sharding *const sharding = &side->sharding;
  int64_t number = 0;
  if (sharding->kind == RELAYOUT_SHARDING_REPLICATED) {
    return side->first_peer + replica;
  }
  if (sharding->kind == RELAYOUT_SHARDING_MAXIMAL) {
    return side->first_peer + sharding->device;
  }
  for (int32_t d = 0; d < sharding->rank; ++d) {
    number = number * sharding->shards[d] + shard[d];
  }
  return side->first_peer +
         rlt_device_order_at(&sharding->order, number * side->replicas + replica);
}

static bool same_shard(const rlt_exchange_side *side, const int64_t *a, const int64_t *b) {
  return memcmp(a, b, (size_t)side->shape.rank * sizeof *a) == 0;
}

/* The number `turn` among the holders of a shard on the receiver's node; -1: there is none. */
static int64_t holder_on_node(const rlt_exchange_plan *plan, const int64_t *shard, int64_t receiver,
                              int64_t turn) {
  if (plan->node_of == NULL || receiver >= plan->node_count) {
    return -1;
  }
  int64_t there = 0;
  for (int pass = 0; pass < 2; ++pass) {
    const int64_t wanted = there > 0 ? turn % there : -1;
    int64_t found = 0;
    for (int64_t r = 0; r < plan->from.replicas; ++r) {
      const int64_t peer = peer_of(&plan->from, shard, r);
      if (peer < plan->node_count && plan->node_of[peer] == plan->node_of[receiver]) {
        if (pass == 1 && found == wanted) {
          return r;
        }
        ++found;
      }
    }
    there = found;
  }
  return -1;
}

/* True if the receiver has the shard itself. */
static bool has_itself(const rlt_exchange_plan *plan, const int64_t *shard, int64_t receiver) {
  const rlt_shard_place own = place_of_peer(&plan->from, receiver);
  return own.holds && same_shard(&plan->from, own.shard, shard);
}

/* Which holder of a shard sends to a receiver who has not got it; `turn` is the receiver's number
 * among those that want something of it. */
static int64_t sender_for(const rlt_exchange_plan *plan, const int64_t *shard, int64_t receiver,
                          int64_t turn) {
  const int64_t near = holder_on_node(plan, shard, receiver, turn);
  return near >= 0 ? near : turn % plan->from.replicas;
}

/* True if those who have a shard themselves are not counted in its turns, so that all holders send
 * as much; else there are too many to look at each. */
static bool counts_each(const rlt_exchange_plan *plan) {
  enum { MOST = 1 << 17 };
  int64_t looks = 0;
  return rlt_multiply(plan->to.devices, plan->from.devices / plan->from.replicas, &looks) &&
         looks <= MOST;
}

/* ---- Pieces --------------------------------------------------------------------------------- */

typedef struct visit {
  const rlt_exchange_plan *plan;
  int64_t self;
  bool sends; /* else it receives */
  rlt_shard_place place;
  rlt_segments along[RELAYOUT_MAX_RANK];
  int64_t turn; /* of the next who is sent to */
  rlt_piece_visitor *visitor;
  void *context;
  bool is_over;
  bool lacks_memory;
} visit;

static int32_t rank_of(const visit *at) {
  return at->plan->from.shape.rank;
}

/* Dimension d as seen from one side. */
static rlt_line line_along(const rlt_exchange_plan *plan, bool sends, int32_t d) {
  const rlt_exchange_side *const own = sends ? &plan->from : &plan->to;
  const rlt_exchange_side *const other = sends ? &plan->to : &plan->from;
  return (rlt_line){.own = rlt_deal_of(&own->sharding, &own->shape, d),
                    .other = rlt_deal_of(&other->sharding, &other->shape, d),
                    .own_start = own->start[d],
                    .other_start = other->start[d],
                    .size = plan->sizes[d]};
}

static bool is_all(const rlt_line *of) {
  return of->size == of->own.extent && of->size == of->other.extent;
}

/* ---- Groups ---- */

/* Runs that are moved in turns: as many as processors foresee. */
enum { MOST_STREAMS = 16 };

/* A walk over every combination of one segment of each of these groups, along the destination's
 * dimensions from minor to major. Where there are many segments, those of more major dimensions are
 * cut: few runs go through all segments of the minor ones then, which lie behind each other. */
typedef struct walk {
  const int64_t *group;
  int64_t most[RELAYOUT_MAX_RANK];   /* of a segment's elements, at once */
  int64_t index[RELAYOUT_MAX_RANK];  /* of the rlt_segment */
  int64_t inside[RELAYOUT_MAX_RANK]; /* where in it */
} walk;

static int64_t count_in_group(const rlt_segments *along, int64_t group) {
  return along->groups[group + 1] - along->groups[group];
}

static int64_t longest_in_group(const rlt_segments *along, int64_t group) {
  int64_t longest = 1;
  for (int64_t i = along->groups[group]; i < along->groups[group + 1]; ++i) {
    longest = rlt_max(longest, along->of[i].size);
  }
  return longest;
}

/* Cuts segments so that at most `streams` runs are moved in turns. The source's most minor
 * dimension stays whole, since its runs go along that. Returns the number of pieces, or
 * `most_pieces` if there are more. */
static int64_t cut_group(const visit *at, walk *made, int64_t streams, int64_t most_pieces) {
  const int32_t runs_along = at->plan->from.shape.layout.minor_to_major[0];
  int64_t pieces = 1;
  bool has_many = false;
  for (int32_t i = 0; i < rank_of(at); ++i) {
    const int32_t d = at->plan->to.shape.layout.minor_to_major[i];
    const int64_t count = count_in_group(&at->along[d], made->group[d]);
    const int64_t longest = longest_in_group(&at->along[d], made->group[d]);
    const bool is_cut = has_many && d != runs_along;
    made->most[d] = is_cut ? rlt_min(longest, streams) : longest;
    streams = is_cut ? rlt_max(streams / made->most[d], 1) : streams;
    has_many = has_many || count > 1;
    const int64_t parts = rlt_divide_up(longest, made->most[d]);
    pieces = count > most_pieces / parts / pieces ? most_pieces : pieces * count * parts;
  }
  return pieces;
}

/* In more streams where there would be too many pieces, each of which takes memory. */
static void start_walk(const visit *at, const int64_t *group, walk *made) {
  enum { MOST_PIECES = 1 << 16, MOST_LENGTH = 1 << 20 };
  int64_t streams = MOST_STREAMS;
  made->group = group;
  while (cut_group(at, made, streams, MOST_PIECES) == MOST_PIECES && streams < MOST_LENGTH) {
    streams *= 2;
  }
  for (int32_t d = 0; d < rank_of(at); ++d) {
    made->index[d] = at->along[d].groups[group[d]];
    made->inside[d] = 0;
  }
}

static void take_piece(const visit *at, const walk *of, rlt_piece *piece) {
  for (int32_t d = 0; d < rank_of(at); ++d) {
    const rlt_segment *const part = &at->along[d].of[of->index[d]];
    const int64_t inside = of->inside[d];
    piece->start[d] = part->start + inside;
    piece->sizes[d] = rlt_min(of->most[d], part->size - inside);
    piece->from_start[d] = (at->sends ? part->own_start : part->other_start) + inside;
    piece->to_start[d] = (at->sends ? part->other_start : part->own_start) + inside;
  }
}

static bool step(const visit *at, walk *of) {
  for (int32_t i = 0; i < rank_of(at); ++i) {
    const int32_t d = at->plan->to.shape.layout.minor_to_major[i];
    const rlt_segments *const along = &at->along[d];
    of->inside[d] += of->most[d];
    if (of->inside[d] < along->of[of->index[d]].size) {
      return true;
    }
    of->inside[d] = 0;
    if (++of->index[d] < along->groups[of->group[d] + 1]) {
      return true;
    }
    of->index[d] = along->groups[of->group[d]];
  }
  return false;
}

static void visit_group(visit *at, const int64_t *group, int64_t peer) {
  rlt_piece piece = {.is_sent = at->sends, .peer = peer};
  walk of;
  start_walk(at, group, &of);
  for (bool is_left = true; is_left && !at->is_over; ++piece.order) {
    take_piece(at, &of, &piece);
    at->is_over = !at->visitor(at->context, &piece);
    is_left = step(at, &of);
  }
}

/* Which of the shards that meet one of the other side, of a single block, comes how many before
 * `shard`, of how many in all, where all of a dimension is moved. */
static void count_groups(const rlt_line *along, int64_t own_shard, int64_t shard, int64_t *group,
                         int64_t *count) {
  const rlt_deal own = along->own, other = along->other;
  const int64_t start = own_shard * own.block;
  const int64_t first = start / other.block;
  const int64_t last = (rlt_deal_block_end(own, own_shard) - 1) / other.block;
  *count = rlt_min(last - first + 1, other.shards);
  /* Block numbers go round: those past the last shard are the first ones. */
  const int64_t behind = rlt_max(first % other.shards + *count - other.shards, 0);
  *group = *count == other.shards ? shard
           : shard < behind       ? shard
                                  : behind + shard - first % other.shards;
}

/* The own shard's number among those that meet the sender's. */
static bool find_group(const visit *at, const int64_t *sender, int64_t *number) {
  *number = 0;
  for (int32_t d = 0; d < rank_of(at); ++d) {
    const rlt_line along = line_along(at->plan, true, d);
    int64_t group = 0, count = 0;
    if (is_all(&along) && rlt_deal_blocks(along.own, sender[d]) == 1) {
      count_groups(&along, sender[d], at->place.shard[d], &group, &count);
    } else {
      rlt_segments of;
      const bool is_made = rlt_segments_make(&along, sender[d], &of);
      while (is_made && of.of[of.groups[group]].other != at->place.shard[d]) {
        ++group;
      }
      count = of.group_count;
      rlt_segments_free(&of);
      if (!is_made) {
        return false;
      }
    }
    *number = *number * count + group;
  }
  return true;
}

static bool make_all_segments(const rlt_exchange_plan *plan, bool sends, const int64_t *shard,
                              rlt_segments *along) {
  bool is_made = true;
  memset(along, 0, RELAYOUT_MAX_RANK * sizeof *along);
  for (int32_t d = 0; d < plan->from.shape.rank && is_made; ++d) {
    const rlt_line of = line_along(plan, sends, d);
    is_made = rlt_segments_make(&of, shard[d], &along[d]);
  }
  return is_made;
}

static void free_all_segments(int32_t rank, rlt_segments *along) {
  for (int32_t d = 0; d < rank; ++d) {
    rlt_segments_free(&along[d]);
  }
}

/* The shard of the other side that is in these groups; then the next ones. */
static void shard_in(int32_t rank, const rlt_segments *along, const int64_t *group,
                     int64_t *shard) {
  for (int32_t d = 0; d < rank; ++d) {
    shard[d] = along[d].of[along[d].groups[group[d]]].other;
  }
}

static bool next_groups(int32_t rank, const rlt_segments *along, int64_t *group) {
  bool is_left = false;
  for (int32_t d = rank - 1; d >= 0 && !is_left; --d) {
    is_left = ++group[d] < along[d].group_count;
    group[d] = is_left ? group[d] : 0;
  }
  return is_left;
}

/* How many want something of the sender's shard before the own device does, and have not got it. */
static bool count_before(const visit *at, const int64_t *sender, int64_t *turn) {
  const rlt_exchange_plan *const plan = at->plan;
  const int32_t rank = rank_of(at);
  rlt_segments along[RELAYOUT_MAX_RANK];
  int64_t group[RELAYOUT_MAX_RANK] = {0}, shard[RELAYOUT_MAX_RANK];
  const bool is_made = make_all_segments(plan, true, sender, along);
  *turn = 0;
  for (bool is_left = is_made; is_left;) {
    shard_in(rank, along, group, shard);
    const bool is_own = same_shard(&plan->to, shard, at->place.shard);
    for (int64_t q = 0; q < (is_own ? at->place.replica : plan->to.replicas); ++q) {
      *turn += !has_itself(plan, sender, peer_of(&plan->to, shard, q));
    }
    is_left = !is_own && next_groups(rank, along, group);
  }
  free_all_segments(rank, along);
  return is_made;
}

/* The own device's turn among those that want something of the sender's shard. */
static bool find_turn(const visit *at, const int64_t *sender, int64_t *turn) {
  *turn = 0;
  if (at->plan->from.replicas == 1) {
    return true;
  }
  if (counts_each(at->plan)) {
    return count_before(at, sender, turn);
  }
  const bool is_found = find_group(at, sender, turn);
  *turn = *turn * at->plan->to.replicas + at->place.replica;
  return is_found;
}

/* To all devices of another shard, of those whom this one sends to. */
static void send_to(visit *at, const int64_t *group, const int64_t *shard) {
  const rlt_exchange_plan *const plan = at->plan;
  const bool counts_all = !counts_each(plan);
  for (int64_t q = 0; q < plan->to.replicas && !at->is_over; ++q) {
    const int64_t receiver = peer_of(&plan->to, shard, q);
    const bool is_kept = has_itself(plan, at->place.shard, receiver);
    if (is_kept ? receiver == at->self
                : sender_for(plan, at->place.shard, receiver, at->turn) == at->place.replica) {
      visit_group(at, group, receiver);
    }
    at->turn += counts_all || !is_kept;
  }
}

/* From that device of another shard which sends to this one. */
static void receive_from(visit *at, const int64_t *group, const int64_t *shard) {
  int64_t turn;
  if (has_itself(at->plan, shard, at->self)) {
    return;
  }
  if (!find_turn(at, shard, &turn)) {
    at->lacks_memory = at->is_over = true;
    return;
  }
  const int64_t replica = sender_for(at->plan, shard, at->self, turn);
  visit_group(at, group, peer_of(&at->plan->from, shard, replica));
}

/* Every shard of the other side that this one meets. */
static void visit_shards(visit *at) {
  const int32_t rank = rank_of(at);
  int64_t group[RELAYOUT_MAX_RANK] = {0}, shard[RELAYOUT_MAX_RANK];
  bool is_left = true;
  for (int32_t d = 0; d < rank; ++d) {
    is_left = is_left && at->along[d].group_count > 0;
  }
  while (is_left && !at->is_over) {
    shard_in(rank, at->along, group, shard);
    if (at->sends) {
      send_to(at, group, shard);
    } else {
      receive_from(at, group, shard);
    }
    is_left = next_groups(rank, at->along, group);
  }
}

static void visit_side(visit *at) {
  at->place = place_of_peer(at->sends ? &at->plan->from : &at->plan->to, at->self);
  if (!at->place.holds) {
    return;
  }
  at->lacks_memory = !make_all_segments(at->plan, at->sends, at->place.shard, at->along);
  if (!at->lacks_memory) {
    visit_shards(at);
  }
  free_all_segments(rank_of(at), at->along);
}

relayout_status rlt_pieces_visit(const rlt_exchange_plan *plan, int64_t self,
                                 rlt_piece_visitor *visitor, void *context, relayout_error *error) {
  visit at = {.plan = plan, .self = self, .sends = true, .visitor = visitor, .context = context};
  visit_side(&at);
  at.sends = false;
  if (!at.is_over && !at.lacks_memory) {
    visit_side(&at);
  }
  return at.lacks_memory
             ? rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the pieces of an exchange")
             : RELAYOUT_OK;
}
