/* many_kernel.cl: the kernel of many.cl, which it follows with all destinations. There is one, or
 * three where groups whose scales are to be found lie in several boxes, by what PASS is:
 *
 *     PASS_FIND    a work-group a box: the greatest values of such groups
 *     PASS_SCALES  a work-item a group: their scales
 *     PASS_WRITE   a work-group a box: all elements, and all other scales
 *
 * Boxes are counted from `first`. Compiled in:
 *
 *     PARAMETERS, MEMORY  a pointer for each tensor, with its offset and a comma behind, and all of
 *                         them together, with tensor scales as they are read
 *     EACH(function)      function(number) of each destination;
 *     EACH_IN_BOX(function), EACH_IN_ALL(function)
 *                         of those with scales that are found in a box, and in all of them
 */

#define PASS_FIND   0
#define PASS_SCALES 1
#define PASS_WRITE  2

#define FIND(to)       PASTE(find_, to)(&of, start, tile, groups);
#define ADD_FOUND(to)  PASTE(add_found_, to)(start, groups, found);
#define PUT_FOUND(to)  PASTE(put_found_, to)(&of, which, found);
#define PUT_SCALES(to) PASTE(put_scales_, to)(&of, start, groups);
#define WRITE(to)      PASTE(write_, to)(&of, start, tile, groups);

__kernel void KERNEL(PARAMETERS __global uint *all_found, const ulong found_from,
                     const ulong first) {
  const memory of = MEMORY;
  __global uint *const found = all_found + found_from;
  const ulong box = first + get_group_id(GRID_AXIS);
#if PASS == PASS_SCALES
  const ulong which = box * GROUP + get_local_id(0);
  EACH_IN_ALL(PUT_FOUND)
#else
  __local tile_word tile[PLACES];
  __local uint groups[2 * GROUPS]; /* the greatest values, then scales */
  coordinate start[AXES];
  find_start(box, start);
  for (uint g = (uint)get_local_id(0); g < GROUPS; g += GROUP) {
    groups[g] = 0;
  }
  load_tile(&of, start, tile);
  barrier(CLK_LOCAL_MEM_FENCE);
#if PASS == PASS_FIND
  EACH_IN_ALL(FIND)
  barrier(CLK_LOCAL_MEM_FENCE);
  EACH_IN_ALL(ADD_FOUND)
#else
  EACH_IN_BOX(FIND)
  barrier(CLK_LOCAL_MEM_FENCE);
  EACH_IN_BOX(PUT_SCALES)
  barrier(CLK_LOCAL_MEM_FENCE);
  EACH(WRITE)
#endif
#endif
}
