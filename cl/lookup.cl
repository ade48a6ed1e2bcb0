/* lookup.cl: element by element, by the axes or an index program. Follows element.cl, and with
 * INDEX_PROGRAM index_program.cl.
 *
 * A tile is a run of the destination's inner axis. Where each element of it lies in the source is
 * told by the axes; or, with INDEX_PROGRAM, by a program that starts from its digit of that inner
 * axis and works with NUMBERS numbers. A work-item writes whole words; of a destination whose
 * elements are packed, whole bytes, so that no two write one.
 */

/* A run: what is the same for all of its elements. */
typedef struct run {
  place from; /* where its first element comes from */
  uint length;
  uint valid;
#if INDEX_PROGRAM
#if !ALONE
  __global const rlt_index_program *made;
#endif
  int result; /* as the program has them */
  int put_place;
  long number; /* the first element's digit */
#else
  long stride; /* in the source */
#endif
} run;

#if INDEX_PROGRAM

#define NO_SOURCE LONG_MIN

/* The program is a parameter, or code in a text that stands alone. */
#if ALONE
#define PROGRAM_PARAMETER
#define RUN_PROGRAM(r, numbers) program_of_problem(numbers)
#define WITH_PROGRAM
#define RESULT          RESULT_OF_PROGRAM
#define PLACE_OF_RESULT PLACE_OF_PROGRAM
#else
#define PROGRAM_PARAMETER       , __global const rlt_index_program *restrict made
#define RUN_PROGRAM(r, numbers) rlt_index_program_run((r).made, numbers)
#define WITH_PROGRAM            made,
#define RESULT                  made->result
#define PLACE_OF_RESULT         made->place
#endif

/* How far on in the source the element with this digit lies, or NO_SOURCE, and where it is put. */
static long source_of(const run r, long number, long *put) {
  long numbers[NUMBERS];
  numbers[0] = number;
  const bool has_source = RUN_PROGRAM(r, numbers);
  *put = r.put_place > 0 ? numbers[r.put_place] : number;
  return has_source ? numbers[r.result] : NO_SOURCE;
}

#endif

/* The element of this column, and where it is put, counted from the first; false where it has no
 * source. */
static bool find_element(const run r, uint column, word *found, long *put) {
#if INDEX_PROGRAM
  const long at = source_of(r, r.number + column, put);
  *put -= r.number;
  if (at == NO_SOURCE) {
    return false;
  }
#else
  *put = column;
  if (column >= r.valid) {
    return false;
  }
  const long at = (long)column * r.stride;
#endif
  *found = element_at(onward(r.from, at));
  return true;
}

#if DESTINATION_BITS

/* Every across-th byte of a run, from `first` on. What lies behind the last
 * element becomes zeros. */
static void gather_run(__global word *to, const run r, uint first, uint across, bool fills,
                       word fill) {
  const uint count = (r.length + IN_DESTINATION_BYTE - 1) / IN_DESTINATION_BYTE;
  for (uint byte = first; byte < count; byte += across) {
    uint made = 0;
    uint left = 0; /* bits that stay as they are */
    for (uint i = 0; i < IN_DESTINATION_BYTE; ++i) {
      const uint column = byte * IN_DESTINATION_BYTE + i;
      word found = fill;
      if (column < r.length) {
        long put;
        const uint all = find_element(r, column, &found, &put) || fills ? 0 : DESTINATION_ONES;
        made |= (found & DESTINATION_ONES & ~all) << BITS_BELOW(i);
        left |= all << BITS_BELOW(i);
      }
    }
    to[byte] = left == 0 ? (word)made : (word)(made | (to[byte] & left));
  }
}

#else

/* Every across-th element of a run, from `first` on. */
static void gather_run(__global word *to, long stride, const run r, uint first, uint across,
                       bool fills, word fill) {
  for (uint column = first; column < r.length; column += across) {
    word found = fill;
    long put;
    if (find_element(r, column, &found, &put) || fills) {
      to[put * stride] = found;
    }
  }
}

#endif

#if !INDEX_PROGRAM
#define PROGRAM_PARAMETER
#endif

__kernel WORK_GROUP void ENTRY(lookup)(SIDE_PARAMETERS(word, destination)
                                           GRID_PARAMETER FILL_PARAMETER,
                                       SIDE_PARAMETERS(const source_word, source)
                                           PROGRAM_PARAMETER CONVERSION_PARAMETER) {
  FIND_GRID;
  FIND_FILL;
  FIND_SIDE(word, destination);
  FIND_SIDE(const source_word, source);
  const place start = PLACE(source, SOURCE_START);
  /* Runs may be short: 2^across_shift work-items take one, the others the runs that follow. */
  const uint across = 1u << grid->across_shift;
  const uint down = GROUP >> grid->across_shift;
  const uint column = (uint)get_local_id(0) & (across - 1);
  const tile_number first = group_number(grid) * (tile_number)grid->tiles_per_group;
  const tile_number end =
      min(first + (tile_number)grid->tiles_per_group, (tile_number)grid->tile_count);
#if INDEX_PROGRAM
  /* Read here, once for all. Where its vectors have no element left, Intel's compiler for CPUs does
   * not read them and goes by them all the same: it followed whatever a register held. */
  const int result = RESULT;
  const int put_place = PLACE_OF_RESULT;
#endif
  for (tile_number n = first + ((uint)get_local_id(0) >> grid->across_shift); n < end; n += down) {
    const tile t = find_tile(grid, n);
    const uint valid = t.valid_rows == 0 ? 0 : t.valid_columns;
#if INDEX_PROGRAM
    const run r = {onward(start, (long)t.source), t.columns, valid,
                   WITH_PROGRAM result,           put_place, t.column_block * grid->columns.block};
#else
    const run r = {onward(start, (long)t.source), t.columns, valid, grid->columns.source_stride};
#endif
    const ulong to = DESTINATION_START + t.destination;
#if DESTINATION_BITS
    gather_run(place_in(destination, to), r, column, across, grid->fills, fill);
#else
    gather_run(destination + to, grid->columns.destination_stride, r, column, across, grid->fills,
               fill);
#endif
  }
}
