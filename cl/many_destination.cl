/* many_destination.cl: one destination of many.cl, which it follows once for each of them. TO is
 * the destination's number, by which names are told apart. Compiled in, and forgotten at the end:
 *
 *     TO_FORMAT, TO_BYTES, TO_BITS, TO_HIGH, TO_UNIT, TO_RECORDS, TO_FORM
 *                  as those of a source
 *     TO_KEEPS     1 for records of the source's, whose bits stay
 *     TO_MINOR, TO_STEP
 *                  the dimension along which elements share a byte or a record, and how far apart
 *                  those lie in the tile
 *     TO_CONVERTS  1 unless elements keep their bits
 *     TO_WRAPS, TO_NEAREST
 *                  how they become integers
 *     TO_SCALED, TO_POINTED, TO_SCALE_..., TO_POINT_...
 *                  as those of a source
 *     TO_RULE      0 where scales are given; else relayout_scale_rule of include/relayout/scaled.h
 *     TO_FINDS     0: nothing; 1: scales, of groups that lie in one box each; 2: of others
 *     TO_MOST, TO_MOST_EXPONENT
 *                  the greatest element as an f32, and the exponent of its first digit
 *     TO_GROUPS, TO_FROM
 *                  groups that a box meets, and where those of this destination begin in `groups`
 *     TO_ALL, TO_ALL_FROM
 *                  the same of all groups, in `found`
 */

#define OF(name)  PASTE(name, TO)
#define AT_SCALES PASTE_ALL(at_, TO, _scales)
#define AT_POINTS PASTE_ALL(at_, TO, _points)
#define SCALES    PASTE_ALL(to_, TO, _scales)
#define POINTS    PASTE_ALL(to_, TO, _points)

/* ---- Scales that are found ---- */

#if TO_FINDS
#define RULE_AMAX    1
#define RULE_AMAX_UP 2
#define RULE_POWER2  3

/* The scale, in its type, of a group whose greatest value has this size as an f32: also of infinity
 * and NaN, which quotients and powers keep. 0 is the least scale of a type without a zero. */
static uint OF(scale_)(uint greatest) {
  const number_format of = TO_SCALE_FORMAT;
  const number amax = number_of_f32(greatest);
#if TO_RULE == RULE_POWER2
  const int exponent = amax.exponent - TO_MOST_EXPONENT;
  const bool has_zero = of.specials != SPECIALS_UNSIGNED;
  number power = normalised(1, has_zero ? exponent : max(exponent, -127), false);
  power.what = amax.what;
  const uint found = (uint)float_pattern(number_of_f32(f32_of(power)), of);
#else
  const number exact = quotient(amax, number_of_f32(TO_MOST));
  const uint nearest = (uint)float_pattern(exact, of);
  const number made = float_number(nearest, of);
  const bool can_grow = made.what == NUMBER_FINITE || made.what == NUMBER_ZERO;
  const bool grows = TO_RULE == RULE_AMAX_UP && can_grow && is_smaller(made, exact);
  const uint found = nearest + (grows ? 1 : 0);
#endif
  return greatest == 0 ? 0 : found;
}

static void OF(put_scale_)(const memory *of, const coordinate *group, uint scale) {
  store(of->SCALES + AT_SCALES(group), TO_SCALE_BYTES, TO_SCALE_UNIT, scale);
}

/* Adds this work-item's values to the greatest ones of the groups in a box. Those that follow each
 * other and are of one group are added at once. */
static void OF(find_)(const memory *of, const coordinate *start, __local const tile_word *tile,
                      __local uint *groups) {
  uint last = TO_FROM;
  uint most = 0;
#pragma unroll 1
  for (uint v = (uint)get_local_id(0); v < VISITS_source; v += GROUP) {
    coordinate i[AXES], group[AXES];
    uint place;
    if (visit_source(v, start, i, &place)) {
      OF(group_)(i, group);
      const uint at = TO_FROM + OF(group_place_)(group, start);
      if (at != last) {
        atomic_max(&groups[last], most);
        last = at;
        most = 0;
      }
      most = max(most, size_of(source_f32(of, i, tile[place])));
    }
  }
  atomic_max(&groups[last], most);
}
#endif

#if TO_FINDS == 1
/* Scales go to memory, and behind the greatest values. Work-items that have no group of their own
 * do the last one's again. */
static void OF(put_scales_)(const memory *of, const coordinate *start, __local uint *groups) {
  for (uint first = 0; first < TO_GROUPS; first += GROUP) {
    coordinate group[AXES];
    OF(visit_group_)(min(first + (uint)get_local_id(0), TO_GROUPS - 1u), start, group);
    const uint place = TO_FROM + OF(group_place_)(group, start);
    const uint scale = OF(scale_)(groups[place]);
    groups[GROUPS + place] = scale;
    OF(put_scale_)(of, group, scale);
  }
}
#endif

#if TO_FINDS == 2
/* Adds the greatest values of a box to those of all boxes. */
static void OF(add_found_)(const coordinate *start, __local const uint *groups,
                           __global uint *found) {
  for (uint first = 0; first < TO_GROUPS; first += GROUP) {
    coordinate group[AXES];
    OF(visit_group_)(min(first + (uint)get_local_id(0), TO_GROUPS - 1u), start, group);
    atomic_max(&found[TO_ALL_FROM + OF(group_number_)(group)],
               groups[TO_FROM + OF(group_place_)(group, start)]);
  }
}

/* Writes the scale of the group of this number. */
static void OF(put_found_)(const memory *of, ulong which, __global const uint *found) {
  if (which < TO_ALL) {
    coordinate group[AXES];
    OF(find_group_)(which, group);
    OF(put_scale_)(of, group, OF(scale_)(found[TO_ALL_FROM + which]));
  }
}
#endif

/* ---- Elements ---- */

#if TO_SCALED
static number OF(scale_of_)(const memory *of, const coordinate *group, const coordinate *start,
                            __local const uint *groups) {
#if TO_FINDS == 1
  const pattern scale = groups[GROUPS + TO_FROM + OF(group_place_)(group, start)];
#else
  const pattern scale = load(of->SCALES + AT_SCALES(group), TO_SCALE_BYTES, TO_SCALE_UNIT);
#endif
  return float_number(scale, TO_SCALE_FORMAT);
}

/* value / scale + zero point, saturated. */
static pattern OF(scaled_)(const memory *of, const coordinate *i, tile_word word,
                           const coordinate *start, __local const uint *groups) {
  const number_format to = TO_FORMAT;
  coordinate group[AXES];
  OF(group_)(i, group);
  const number scale = OF(scale_of_)(of, group, start, groups);
  const number exact = quotient(source_value(of, i, word), scale);
  if (to.kind == KIND_FLOAT) {
    return saturated_pattern(exact, to);
  }
  long whole = clamp(whole_value(exact, TO_NEAREST != 0), -(1L << 22), 1L << 22);
#if TO_POINTED
  whole += integer_value(load(of->POINTS + AT_POINTS(group), TO_POINT_BYTES, TO_POINT_UNIT),
                         TO_POINT_FORMAT);
#endif
  const bool is_signed = to.kind == KIND_SIGNED;
  const long most = (long)ones(is_signed ? to.bits - 1 : to.bits);
  return (pattern)clamp(whole, is_signed ? -most - 1 : 0L, most) & ones(to.bits);
}
#endif

/* What an element of the tile becomes. */
static pattern OF(element_)(const memory *of, const coordinate *i, tile_word word,
                            const coordinate *start, __local const uint *groups) {
#if TO_SCALED
  return OF(scaled_)(of, i, word, start, groups);
#elif SOURCE_SCALED
  const integer_rule by = {false, TO_NEAREST != 0};
  number value = source_value(of, i, word);
  value.negative = value.negative && !is_nan(value);
  return pattern_of(value, TO_FORMAT, by);
#elif TO_CONVERTS
  const integer_rule by = {TO_WRAPS != 0, TO_NEAREST != 0};
  return convert_unscaled(word, SOURCE_FORMAT, TO_FORMAT, by);
#else
  return word;
#endif
}

/* Elements of the tile from `place` on, `i` being the index of the first, to memory. */
INLINED void OF(put_)(const memory *of, coordinate *i, __local const tile_word *tile, uint place,
                      const coordinate *start, __local const uint *groups) {
  const ulong at = (ulong)OF(at_)(i);
#if TO_KEEPS
  const ulong from = (ulong)at_source(i);
  move_record(SOURCE_FORM, place_of_record(SOURCE_FORM, of->source, from), TO_FORM,
              place_of_record(TO_FORM, of->OF(to_), at));
#elif TO_RECORDS
  uint values[RECORD];
#pragma unroll 1
  for (uint k = 0; k < RECORD; ++k) {
    values[k] = source_f32(of, i, tile[place + k * TO_STEP]);
    i[TO_MINOR] += 1;
  }
  put_record(TO_FORM, values, place_of_record(TO_FORM, of->OF(to_), at));
#elif TO_BITS
  uint byte = 0;
#pragma unroll 1
  for (uint k = 0; k < 8 / TO_BITS; ++k) {
    const pattern element = OF(element_)(of, i, tile[place + k * TO_STEP], start, groups);
    byte |= (uint)element << (TO_HIGH ? 8 - TO_BITS - k * TO_BITS : k * TO_BITS);
    i[TO_MINOR] += 1;
  }
  of->OF(to_)[at / (8 / TO_BITS)] = (uchar)byte;
#else
  store(of->OF(to_) + (long)at, TO_BYTES, TO_UNIT, OF(element_)(of, i, tile[place], start, groups));
#endif
}

static void OF(write_)(const memory *of, const coordinate *start, __local const tile_word *tile,
                       __local const uint *groups) {
#pragma unroll 1
  for (uint v = (uint)get_local_id(0); v < OF(VISITS_); v += GROUP) {
    coordinate i[AXES];
    uint place;
    if (OF(visit_)(v, start, i, &place)) {
      OF(put_)(of, i, tile, place, start, groups);
    }
  }
}

#undef OF
#undef AT_SCALES
#undef AT_POINTS
#undef SCALES
#undef POINTS
