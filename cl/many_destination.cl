/* many_destination.cl: one destination of many.cl, which it follows once for each of them. TO is
 * the destination's number, by which names are told apart. Compiled in, and forgotten at the end:
 *
 *     TO_FORMAT, TO_BYTES, TO_BITS, TO_HIGH, TO_UNIT, TO_RECORDS, TO_FORM
 *                  as those of a source
 *     TO_KEEPS     1 for records of the source's, whose bits stay
 *     TO_MINOR, TO_STEP
 *                  the dimension along which elements share a byte or a record, and how far apart
 *                  those lie in the tile
 *     TO_TOGETHER  elements that a work-item stores at once, along that dimension
 *     TO_RUN, TO_FROM_RUN
 *                  how many of these, one behind the other, have one scale of the destination's,
 *                  and one of the source's
 *     TO_FIND_RUN  how many of SOURCE_WIDTH elements have one scale of the destination's
 *     TO_CONVERTS  1 unless elements keep their bits
 *     TO_WRAPS, TO_NEAREST
 *                  how they become integers
 *     TO_SCALED, TO_POINTED, TO_SCALE_..., TO_POINT_...
 *                  as those of a source
 *     TO_BELOW     1 if there is a tensor scale
 *     TO_BY_FORMAT of what elements are divided by: an f32 below a tensor scale, else a scale
 *     TO_RULE      0 where scales are given; else relayout_scale_rule of include/relayout/scaled.h
 *     TO_FINDS     0: nothing; 1: scales, of groups that lie in one box each; 2: of others
 *     TO_MOST      the greatest element as an f32; of a range the last element less the first
 *     TO_FIRST     of a range, the first element as an f32
 *     TO_GROUPS, TO_FROM
 *                  groups that a box meets, and where those of this destination begin in `groups`;
 *                  of a range, the least values of as many groups come behind the greatest ones,
 *                  and zero points behind scales
 *     TO_ALL, TO_ALL_FROM
 *                  the same of all groups, in `found`
 */

#define OF(name)  PASTE(name, TO)
#define AT_SCALES PASTE_ALL(at_, TO, _scales)
#define AT_POINTS PASTE_ALL(at_, TO, _points)
#define SCALES    PASTE_ALL(to_, TO, _scales)
#define POINTS    PASTE_ALL(to_, TO, _points)
#define TENSOR    PASTE_ALL(to_, TO, _tensor)

/* ---- The tensor scale ---- */

#if TO_SCALED
/* What elements are divided by that have this scale. */
INLINED pattern OF(below_)(const memory *of, pattern scale) {
#if TO_BELOW
  return scale_below(scale, TO_SCALE_FORMAT, of->TENSOR);
#else
  return scale;
#endif
}
#endif

/* ---- Scales that are found ---- */

#if TO_FINDS
#define RULE_AMAX    1
#define RULE_AMAX_UP 2
#define RULE_POWER2  3
#define RULE_RANGE   4

/* What the greatest value of a group is divided by, an f32. */
INLINED uint OF(most_)(const memory *of) {
#if TO_BELOW
  return size_of(f32_product(TO_MOST, of->TENSOR));
#else
  return TO_MOST;
#endif
}

/* The greatest value of a group, or what it counts as where that is no number above 0. */
INLINED uint OF(levelled_)(uint greatest, uint most) {
#if TO_BELOW
  const bool is_infinite = most == F32_INFINITY;
  const bool counts = most != 0 && greatest != 0 && !(is_infinite && greatest < F32_INFINITY);
  return most != 0 && most < F32_INFINITY ? greatest : counts ? F32_NAN : 0;
#else
  return greatest;
#endif
}

/* The scale, in its type, of a group whose greatest value has this size as an f32: also of infinity
 * and NaN, which quotients and powers keep. 0 is the least scale of a type without a zero. */
INLINED uint OF(scale_)(const memory *of, uint found) {
  const number_format own = TO_SCALE_FORMAT;
  const uint divisor = OF(most_)(of);
  const uint greatest = OF(levelled_)(found, divisor);
  const number amax = number_of_f32(greatest), most = number_of_f32(divisor);
#if TO_RULE == RULE_POWER2
  const int exponent = amax.exponent - most.exponent;
  const bool has_zero = own.specials != SPECIALS_UNSIGNED;
  number power = normalised(1, has_zero ? exponent : max(exponent, -127), false);
  power.what = amax.what;
  const uint scale = (uint)float_pattern(number_of_f32(f32_of(power)), own);
#else
  const number exact = quotient(amax, most);
  const uint nearest = (uint)float_pattern(exact, own);
  const number made = float_number(nearest, own);
  const bool can_grow = made.what == NUMBER_FINITE || made.what == NUMBER_ZERO;
  const bool grows = TO_RULE == RULE_AMAX_UP && can_grow && is_smaller(made, exact);
  const uint scale = nearest + (grows ? 1 : 0);
#endif
  return greatest == 0 ? 0 : scale;
}

INLINED void OF(put_scale_)(const memory *of, const coordinate *group, uint scale) {
  store(of->SCALES + AT_SCALES(group), TO_SCALE_BYTES, TO_SCALE_UNIT, scale);
}

#if TO_RULE == RULE_RANGE
/* Values above 0, or NaNs, and values below 0, without their sign; 0 for others. */
INLINED uint OF(end_)(uint value, bool is_below) {
  const bool is_negative = (value & F32_SIGN) != 0 && size_of(value) <= F32_INFINITY;
  return is_negative == is_below ? size_of(value) : 0;
}

INLINED uint OF(range_scale_)(const memory *of, uint above, uint below) {
  return OF(scale_)(of, size_of(f32_sum(above, below)));
}

/* Within the elements' ends, and then within its own type's. */
INLINED long OF(point_)(const memory *of, uint below, uint scale) {
  const number_format elements = TO_FORMAT, own = TO_POINT_FORMAT;
  const number least = number_of_f32(below == 0 ? 0 : below | F32_SIGN);
  const number by = float_number(OF(below_)(of, scale), TO_BY_FORMAT);
  const uint steps = f32_of(quotient(least, by));
  const long exact = whole_value(number_of_f32(f32_sum(TO_FIRST, steps ^ F32_SIGN)), true);
  return within_integers(within_integers(exact, elements), own);
}

INLINED void OF(put_point_)(const memory *of, const coordinate *group, long point) {
  const number_format own = TO_POINT_FORMAT;
  store(of->POINTS + AT_POINTS(group), TO_POINT_BYTES, TO_POINT_UNIT,
        (pattern)point & ones(own.bits));
}
#endif

/* Adds this work-item's values to the greatest ones of the groups in a box. Those of one group that
 * follow each other, in a visit or from visit to visit, are added at once. */
INLINED void OF(find_)(const memory *of, const coordinate *start, __local const tile_word *tile,
                       __local uint *groups) {
  uint last[SOURCE_WIDTH / TO_FIND_RUN], most[SOURCE_WIDTH / TO_FIND_RUN];
#if TO_RULE == RULE_RANGE
  uint below[SOURCE_WIDTH / TO_FIND_RUN];
#endif
#pragma unroll
  for (int r = 0; r < SOURCE_WIDTH / TO_FIND_RUN; ++r) {
    last[r] = TO_FROM;
    most[r] = 0;
#if TO_RULE == RULE_RANGE
    below[r] = 0;
#endif
  }
#pragma unroll 1
  for (uint v = (uint)get_local_id(0); v < VISITS_source; v += GROUP) {
    coordinate i[AXES], group[AXES];
    uint place;
    if (!visit_source(v, start, i, &place)) {
      continue;
    }
#pragma unroll
    for (int r = 0; r < SOURCE_WIDTH / TO_FIND_RUN; ++r) {
      OF(group_)(i, group);
      const uint at = TO_FROM + OF(group_place_)(group, start);
      if (at != last[r]) {
        atomic_max(&groups[last[r]], most[r]);
        most[r] = 0;
#if TO_RULE == RULE_RANGE
        atomic_max(&groups[last[r] + TO_GROUPS], below[r]);
        below[r] = 0;
#endif
        last[r] = at;
      }
#pragma unroll
      for (int k = 0; k < TO_FIND_RUN; ++k) {
        const pattern scale = source_scale(of, i);
        const uint value = source_f32(of, i, tile[place + k], scale);
#if TO_RULE == RULE_RANGE
        most[r] = max(most[r], OF(end_)(value, false));
        below[r] = max(below[r], OF(end_)(value, true));
#else
        most[r] = max(most[r], size_of(value));
#endif
        i[SOURCE_MINOR] += 1;
      }
      place += TO_FIND_RUN;
    }
  }
#pragma unroll
  for (int r = 0; r < SOURCE_WIDTH / TO_FIND_RUN; ++r) {
    atomic_max(&groups[last[r]], most[r]);
#if TO_RULE == RULE_RANGE
    atomic_max(&groups[last[r] + TO_GROUPS], below[r]);
#endif
  }
}
#endif

#if TO_FINDS == 1
/* Scales go to memory, and what elements are divided by behind the greatest values. Work-items that
 * have no group of their own do the last one's again. */
INLINED void OF(put_scales_)(const memory *of, const coordinate *start, __local uint *groups) {
  for (uint first = 0; first < TO_GROUPS; first += GROUP) {
    coordinate group[AXES];
    OF(visit_group_)(min(first + (uint)get_local_id(0), TO_GROUPS - 1u), start, group);
    const uint place = TO_FROM + OF(group_place_)(group, start);
#if TO_RULE == RULE_RANGE
    const uint scale = OF(range_scale_)(of, groups[place], groups[place + TO_GROUPS]);
    const long point = OF(point_)(of, groups[place + TO_GROUPS], scale);
    groups[GROUPS + place + TO_GROUPS] = (uint)point;
    OF(put_point_)(of, group, point);
#else
    const uint scale = OF(scale_)(of, groups[place]);
#endif
    groups[GROUPS + place] = (uint)OF(below_)(of, scale);
    OF(put_scale_)(of, group, scale);
  }
}
#endif

#if TO_FINDS == 2
/* Adds the greatest values of a box to those of all boxes. */
INLINED void OF(add_found_)(const coordinate *start, __local const uint *groups,
                            __global uint *found) {
  for (uint first = 0; first < TO_GROUPS; first += GROUP) {
    coordinate group[AXES];
    OF(visit_group_)(min(first + (uint)get_local_id(0), TO_GROUPS - 1u), start, group);
    const uint place = TO_FROM + OF(group_place_)(group, start);
    const ulong number = TO_ALL_FROM + OF(group_number_)(group);
    atomic_max(&found[number], groups[place]);
#if TO_RULE == RULE_RANGE
    atomic_max(&found[number + TO_ALL], groups[place + TO_GROUPS]);
#endif
  }
}

/* Writes the scale of the group of this number. */
INLINED void OF(put_found_)(const memory *of, ulong which, __global const uint *found) {
  if (which < TO_ALL) {
    coordinate group[AXES];
    OF(find_group_)(which, group);
#if TO_RULE == RULE_RANGE
    const uint below = found[TO_ALL_FROM + TO_ALL + which];
    const uint scale = OF(range_scale_)(of, found[TO_ALL_FROM + which], below);
    OF(put_scale_)(of, group, scale);
    OF(put_point_)(of, group, OF(point_)(of, below, scale));
#else
    OF(put_scale_)(of, group, OF(scale_)(of, found[TO_ALL_FROM + which]));
#endif
  }
}
#endif

/* ---- Elements ---- */

/* What an element is divided by; 0 where it is by nothing. */
INLINED pattern OF(divisor_)(const memory *of, const coordinate *i, const coordinate *start,
                             __local const uint *groups) {
#if TO_SCALED
  coordinate group[AXES];
  OF(group_)(i, group);
#if TO_FINDS == 1
  return groups[GROUPS + TO_FROM + OF(group_place_)(group, start)];
#else
  return OF(below_)(of, load(of->SCALES + AT_SCALES(group), TO_SCALE_BYTES, TO_SCALE_UNIT));
#endif
#else
  return 0;
#endif
}

/* What is added to an integer. */
INLINED long OF(added_)(const memory *of, const coordinate *i, const coordinate *start,
                        __local const uint *groups) {
#if TO_POINTED
  coordinate group[AXES];
  OF(group_)(i, group);
#if TO_FINDS == 1 && TO_RULE == RULE_RANGE
  return (int)groups[GROUPS + TO_FROM + TO_GROUPS + OF(group_place_)(group, start)];
#else
  return integer_value(load(of->POINTS + AT_POINTS(group), TO_POINT_BYTES, TO_POINT_UNIT),
                       TO_POINT_FORMAT);
#endif
#else
  return 0;
#endif
}

#if TO_SCALED
INLINED number OF(quotient_)(const memory *of, const coordinate *i, tile_word word, pattern factor,
                             pattern scale) {
  return quotient(source_value(of, i, word, factor), float_number(scale, TO_BY_FORMAT));
}

/* The quotient as an integer, far beyond all elements where it is. */
INLINED long OF(whole_)(const memory *of, const coordinate *i, tile_word word, pattern factor,
                        pattern scale) {
  const bool is_quick = is_counted(SOURCE_FORMAT, TO_BY_FORMAT, TO_FORMAT) && !SOURCE_MULTIPLIED &&
                        !TO_POINTED && is_finite_float((uint)word, SOURCE_FORMAT) &&
                        is_finite_float((uint)scale, TO_BY_FORMAT) &&
                        !is_zero_float((uint)scale, TO_BY_FORMAT);
  if (is_quick) {
    return short_quotient((uint)word, SOURCE_FORMAT, (uint)scale, TO_BY_FORMAT, TO_NEAREST != 0);
  }
  const number exact = OF(quotient_)(of, i, word, factor, scale);
  return clamp(whole_value(exact, TO_NEAREST != 0), -(1L << 40), 1L << 40);
}

/* value / scale + zero point, saturated. */
INLINED pattern OF(scaled_)(const memory *of, const coordinate *i, tile_word word, pattern factor,
                            pattern scale, long point) {
  const number_format to = TO_FORMAT;
  if (is_shift(TO_BY_FORMAT, SOURCE_FORMAT, to) && !SOURCE_MULTIPLIED && is_power(scale) &&
      is_finite_float((uint)word, SOURCE_FORMAT)) {
    return short_float((uint)word, SOURCE_FORMAT, -power_of(scale), to, true);
  }
  if (to.kind == KIND_FLOAT) {
    return saturated_pattern(OF(quotient_)(of, i, word, factor, scale), to);
  }
  const long whole = OF(whole_)(of, i, word, factor, scale) + point;
  return (pattern)within_integers(whole, to) & ones(to.bits);
}
#endif

/* What an element of the tile becomes, by the scales of both sides. */
INLINED pattern OF(element_)(const memory *of, const coordinate *i, tile_word word, pattern factor,
                             pattern divisor, long point) {
#if TO_SCALED
  return OF(scaled_)(of, i, word, factor, divisor, point);
#elif SOURCE_MULTIPLIED
  const integer_rule by = {false, TO_NEAREST != 0};
  if (is_shift(SOURCE_BY_FORMAT, SOURCE_FORMAT, TO_FORMAT) && !SOURCE_POINTED && is_power(factor) &&
      is_finite_float((uint)word, SOURCE_FORMAT)) {
    return short_float((uint)word, SOURCE_FORMAT, power_of(factor), TO_FORMAT, false);
  }
  number value = source_value(of, i, word, factor);
  value.negative = value.negative && !is_nan(value);
  return pattern_of(value, TO_FORMAT, by);
#elif TO_CONVERTS
  const integer_rule by = {TO_WRAPS != 0, TO_NEAREST != 0};
  if (is_shortened(SOURCE_FORMAT, TO_FORMAT) && is_finite_float((uint)word, SOURCE_FORMAT)) {
    return short_float((uint)word, SOURCE_FORMAT, 0, TO_FORMAT, false);
  }
  return convert_unscaled(word, SOURCE_FORMAT, TO_FORMAT, by);
#else
  return word;
#endif
}

#if !TO_RECORDS
/* Element `k` of those that are stored together, `i` being its index. Scales stay from the one
 * before where they are the same. */
INLINED pattern OF(next_)(const memory *of, const coordinate *i, tile_word word, int k,
                          pattern *factor, pattern *divisor, long *point, const coordinate *start,
                          __local const uint *groups) {
  if (k % TO_FROM_RUN == 0) {
    *factor = source_scale(of, i);
  }
  if (k % TO_RUN == 0) {
    *divisor = OF(divisor_)(of, i, start, groups);
    *point = OF(added_)(of, i, start, groups);
  }
  return OF(element_)(of, i, word, *factor, *divisor, *point);
}
#endif

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
    values[k] = source_f32(of, i, tile[place + k * TO_STEP], source_scale(of, i));
    i[TO_MINOR] += 1;
  }
  put_record(TO_FORM, values, place_of_record(TO_FORM, of->OF(to_), at));
#elif TO_BITS
  uint byte = 0;
  pattern factor = 0, divisor = 0;
  long point = 0;
#pragma unroll 1
  for (uint k = 0; k < 8 / TO_BITS; ++k) {
    const pattern element = OF(next_)(of, i, tile[place + k * TO_STEP], (int)k, &factor, &divisor,
                                      &point, start, groups);
    byte |= (uint)element << (TO_HIGH ? 8 - TO_BITS - k * TO_BITS : k * TO_BITS);
    i[TO_MINOR] += 1;
  }
  of->OF(to_)[at / (8 / TO_BITS)] = (uchar)byte;
#elif TO_TOGETHER > 1
  __global uchar *const to = of->OF(to_) + (long)at;
  uint4 words = (uint4)0;
  pattern factor = 0, divisor = 0;
  long point = 0;
#pragma unroll
  for (int k = 0; k < TO_TOGETHER; ++k) {
    const pattern element =
        OF(next_)(of, i, tile[place + k * TO_STEP], k, &factor, &divisor, &point, start, groups);
    words = with_element(words, k, TO_BYTES, (uint)element);
    i[TO_MINOR] += 1;
  }
  if (are_aligned(to, TO_TOGETHER * TO_BYTES)) {
    store_words(to, TO_TOGETHER * TO_BYTES, words);
  } else {
#pragma unroll
    for (int k = 0; k < TO_TOGETHER; ++k) {
      store(to + k * TO_BYTES, TO_BYTES, TO_UNIT, element_of(words, k, TO_BYTES));
    }
  }
#else
  pattern factor = 0, divisor = 0;
  long point = 0;
  store(of->OF(to_) + (long)at, TO_BYTES, TO_UNIT,
        OF(next_)(of, i, tile[place], 0, &factor, &divisor, &point, start, groups));
#endif
}

INLINED void OF(write_)(const memory *of, const coordinate *start, __local const tile_word *tile,
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
#undef TENSOR
