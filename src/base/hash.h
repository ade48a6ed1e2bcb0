/* hash.h: the FNV-1a hash, for tables and checksums. It is quick, and no protection against inputs
 * made to collide. Depends on nothing. */
#ifndef RLT_BASE_HASH_H
#define RLT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define RLT_HASH_START UINT64_C(14695981039346656037)

/* The hash of what was hashed before, then `bytes`. */
static inline uint64_t rlt_hash(uint64_t hash, const void *bytes, size_t size) {
  const unsigned char *const byte = bytes;
  for (size_t i = 0; i < size; ++i) {
    hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
  }
  return hash;
}

#endif
