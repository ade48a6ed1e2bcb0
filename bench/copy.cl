/* copy.cl: plain copies, tuned: the most that the device's memory can do. `count` is how many lines
 * or vectors to copy, and the starts where they begin.
 *
 * CPU devices: one work-item copies a share of neighbouring lines of 64 bytes. With STREAMS they
 * are stored past the cache, where the compiler knows how: an ordinary store reads the line first.
 *
 * All others: a work-group copies GROUP x UNROLL vectors of 16 bytes, each work-item UNROLL of
 * them, GROUP apart, and has loaded them all before it stores the first. */

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
copy_lines(__global uint16 *restrict to, __global const uint16 *restrict from, const ulong to_start,
           const ulong from_start, const ulong count, const ulong share) {
  const ulong first = get_global_id(0) * share;
  const ulong end = min(first + share, count);
  for (ulong i = first; i < end; ++i) {
    const uint16 line = from[from_start + i];
#if STREAMS && defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
    __builtin_nontemporal_store(line, to + to_start + i);
#else
    to[to_start + i] = line;
#endif
#else
    to[to_start + i] = line;
#endif
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
copy_vectors(__global uint4 *restrict to, __global const uint4 *restrict from, const ulong to_start,
             const ulong from_start, const ulong count) {
  const ulong first = get_group_id(0) * (ulong)(GROUP * UNROLL) + get_local_id(0);
  uint4 loaded[UNROLL];
  if (first + (UNROLL - 1) * GROUP < count) {
#pragma unroll
    for (uint i = 0; i < UNROLL; ++i) {
      loaded[i] = from[from_start + first + i * GROUP];
    }
#pragma unroll
    for (uint i = 0; i < UNROLL; ++i) {
      to[to_start + first + i * GROUP] = loaded[i];
    }
    return;
  }
  for (ulong i = first; i < count; i += GROUP) {
    to[to_start + i] = from[from_start + i];
  }
}
