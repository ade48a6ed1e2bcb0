/* many.cl: several destinations of one source. A work-group loads a box of the index space into
 * local memory once, and every destination gets its part from there:
 *
 *     source --> tile in local memory --> destination 0, in the order in which that lies in memory
 *                (elements as they are)
 *                                    \--> destination 1, ...
 *
 * Follows convert.cl, numbers.cl, records.cl and what the host writes for one plan
 * (src/gpu/many_text.h): sizes, formats, and functions that say where things lie. All of these are
 * constants, so that one program serves one plan. many_destination.cl follows once for each
 * destination, and many_kernel.cl comes last. All is inlined: PoCL makes vectors of its loops over
 * work-items, wrongly where calls are left in them. Of the source are compiled in:
 *
 *     SOURCE_FORMAT   of its elements; of what lies in the tile
 *     SOURCE_BYTES, SOURCE_BITS, SOURCE_HIGH, SOURCE_UNIT
 *                     bytes of an element; its bits where it shares a byte, else 0; 1 if the first
 *                     lies in the high bits; what addresses are multiples of
 *     SOURCE_RECORDS, SOURCE_FORM
 *                     its block format, or 0; if it has one, the tile has f32s
 *     SOURCE_SCALED, SOURCE_POINTED
 *                     1 if it has scales, and zero points; their formats, bytes and units follow
 *     SOURCE_BELOW    1 if it has a tensor scale
 *     SOURCE_MULTIPLIED
 *                     1 if elements are multiplied by scales, or by one f32 for all
 *     SOURCE_FACTOR, SOURCE_FACTORED, SOURCE_BY_FORMAT
 *                     if they are, the f32 that a tensor scale, or scales are multiplied by; 0 if
 *                     there is neither that nor a tensor scale; and the format of what comes of
 *                     scales, as source_scale returns it
 *     SOURCE_WIDTH    elements that a work-item loads together, along the first dimension of the
 *                     tile, SOURCE_MINOR
 */

#define PASTE_2(a, b)      a##b
#define PASTE(a, b)        PASTE_2(a, b)
#define PASTE_3(a, b, c)   a##b##c
#define PASTE_ALL(a, b, c) PASTE_3(a, b, c)

/* Bytes at a multiple of `unit`, the lowest first. */
INLINED ulong load(__global const uchar *at, int bytes, int unit) {
  ulong made = 0;
  for (int i = 0; i < bytes; i += unit) {
    const ulong part = unit == 8   ? *(__global const ulong *)(at + i)
                       : unit == 4 ? *(__global const uint *)(at + i)
                       : unit == 2 ? *(__global const ushort *)(at + i)
                                   : at[i];
    made |= part << 8 * i;
  }
  return made;
}

INLINED void store(__global uchar *at, int bytes, int unit, ulong value) {
  for (int i = 0; i < bytes; i += unit) {
    const ulong part = value >> 8 * i;
    if (unit == 8) {
      *(__global ulong *)(at + i) = part;
    } else if (unit == 4) {
      *(__global uint *)(at + i) = (uint)part;
    } else if (unit == 2) {
      *(__global ushort *)(at + i) = (ushort)part;
    } else {
      at[i] = (uchar)part;
    }
  }
}

/* Elements of up to four words of 32 bits, which are loaded and stored at once where their address
 * is a multiple of as many bytes: callers' offsets are not, always. */
INLINED bool are_aligned(__global const uchar *at, int bytes) {
  return ((size_t)at & (size_t)(bytes - 1)) == 0;
}

INLINED uint4 load_words(__global const uchar *at, int bytes) {
  uint4 made = (uint4)0;
  if (bytes == 16) {
    made = *(__global const uint4 *)at;
  } else if (bytes == 8) {
    made.xy = *(__global const uint2 *)at;
  } else {
    made.x = *(__global const uint *)at;
  }
  return made;
}

INLINED void store_words(__global uchar *at, int bytes, uint4 words) {
  if (bytes == 16) {
    *(__global uint4 *)at = words;
  } else if (bytes == 8) {
    *(__global uint2 *)at = words.xy;
  } else {
    *(__global uint *)at = words.x;
  }
}

INLINED uint word_of(uint4 words, int number) {
  return number == 0 ? words.x : number == 1 ? words.y : number == 2 ? words.z : words.w;
}

/* An element of 1, 2 or 4 bytes, and words with it besides. */
INLINED uint element_of(uint4 words, int number, int bytes) {
  const int in_word = 4 / bytes;
  const uint word = word_of(words, number / in_word);
  return bytes == 4 ? word : word >> number % in_word * bytes * 8 & ((1u << (bytes * 8 & 31)) - 1);
}

INLINED uint4 with_element(uint4 words, int number, int bytes, uint element) {
  const int in_word = 4 / bytes;
  const uint moved = element << number % in_word * bytes * 8;
  const int word = number / in_word;
  return words | (uint4)(word == 0 ? moved : 0, word == 1 ? moved : 0, word == 2 ? moved : 0,
                         word == 3 ? moved : 0);
}

/* ---- The tile ---- */

INLINED tile_word source_word(const memory *of, const coordinate *i) {
  const ulong at = (ulong)at_source(i);
#if SOURCE_RECORDS
  const record_place record = place_of_record(SOURCE_FORM, of->source, at);
  return record_value(SOURCE_FORM, record, (int)(at & (RECORD - 1)));
#elif SOURCE_BITS
  const uint before = (uint)(at % (8 / SOURCE_BITS)) * SOURCE_BITS;
  const uint bit = SOURCE_HIGH ? 8 - SOURCE_BITS - before : before;
  return (tile_word)(of->source[at / (8 / SOURCE_BITS)] >> bit & ((1u << SOURCE_BITS) - 1));
#else
  return (tile_word)load(of->source + (long)at, SOURCE_BYTES, SOURCE_UNIT);
#endif
}

INLINED void load_tile(const memory *of, const coordinate *start, __local tile_word *tile) {
#pragma unroll 1
  for (uint v = (uint)get_local_id(0); v < VISITS_source; v += GROUP) {
    coordinate i[AXES];
    uint place;
    if (visit_source(v, start, i, &place)) {
#if SOURCE_WIDTH > 1
      __global const uchar *const at = of->source + (long)at_source(i);
      const int bytes = SOURCE_WIDTH * SOURCE_BYTES;
      if (are_aligned(at, bytes)) {
        const uint4 words = load_words(at, bytes);
#pragma unroll
        for (int k = 0; k < SOURCE_WIDTH; ++k) {
          tile[place + k] = (tile_word)element_of(words, k, SOURCE_BYTES);
        }
      } else {
#pragma unroll
        for (int k = 0; k < SOURCE_WIDTH; ++k) {
          tile[place + k] = (tile_word)load(at + k * SOURCE_BYTES, SOURCE_BYTES, SOURCE_UNIT);
        }
      }
#else
      tile[place] = source_word(of, i);
#endif
    }
  }
}

/* ---- Values ---- */

/* A tensor scale, which each work-item reads once; of the source after the caller's factor. */
INLINED uint tensor_scale(__global const uchar *at) {
  return (uint)load(at, 4, 4);
}

#if SOURCE_BELOW
INLINED uint source_factor(__global const uchar *at) {
  return f32_product(tensor_scale(at), SOURCE_FACTOR);
}
#endif

/* A scale of this format times an f32, as an f32. */
INLINED uint scale_below(pattern scale, const number_format of, uint factor) {
  return f32_of(product(float_number(scale, of), number_of_f32(factor)));
}

/* What an element is multiplied by; 0 where it is by nothing. */
INLINED pattern source_scale(const memory *of, const coordinate *i) {
#if SOURCE_SCALED
  coordinate group[AXES];
  group_source(i, group);
  const pattern scale =
      load(of->source_scales + at_source_scales(group), SOURCE_SCALE_BYTES, SOURCE_SCALE_UNIT);
#if SOURCE_BELOW
  return scale_below(scale, SOURCE_SCALE_FORMAT, of->source_tensor);
#elif SOURCE_FACTORED
  return scale_below(scale, SOURCE_SCALE_FORMAT, SOURCE_FACTOR);
#else
  return scale;
#endif
#elif SOURCE_MULTIPLIED
  return SOURCE_FACTOR;
#else
  return 0;
#endif
}

/* The value of an element of the tile, by its scale. */
INLINED number source_value(const memory *of, const coordinate *i, tile_word word, pattern scale) {
#if SOURCE_POINTED
  coordinate group[AXES];
  group_source(i, group);
  const long point = integer_value(
      load(of->source_points + at_source_points(group), SOURCE_POINT_BYTES, SOURCE_POINT_UNIT),
      SOURCE_POINT_FORMAT);
  const number n = number_of_integer(integer_value(word, SOURCE_FORMAT) - point);
#else
  const number n = number_of(word, SOURCE_FORMAT);
#endif
#if SOURCE_MULTIPLIED
  return product(n, float_number(scale, SOURCE_BY_FORMAT));
#else
  return n;
#endif
}

/* The same, rounded to an f32. */
INLINED uint source_f32(const memory *of, const coordinate *i, tile_word word, pattern scale) {
#if SOURCE_MULTIPLIED
  return f32_of(source_value(of, i, word, scale));
#else
  const integer_rule by = {false, false};
  return (uint)convert_unscaled(word, SOURCE_FORMAT, f32_format(), by);
#endif
}
