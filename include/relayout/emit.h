/* emit.h: a layout as source text, for kernels that read or write a tensor where it lies.
 *
 * All functions are pure and thread-safe. */
#ifndef RELAYOUT_EMIT_H
#define RELAYOUT_EMIT_H

#include <stddef.h>

#include "relayout/shape.h"
#include "relayout/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(enumerator, value, text). The values are pinned: they never change their meaning. */
#define RELAYOUT_LANGUAGE_TABLE(X)                                                                 \
  X(RELAYOUT_LANGUAGE_C, 0, "c")           /* C99 and later, C++11 and later */                    \
  X(RELAYOUT_LANGUAGE_OPENCL, 1, "opencl") /* OpenCL C 1.2 and later */                            \
  X(RELAYOUT_LANGUAGE_CUDA, 2, "cuda")     /* without an include: NVRTC takes it too */            \
  X(RELAYOUT_LANGUAGE_HIP, 3, "hip")       /* the same text as for CUDA */                         \
  X(RELAYOUT_LANGUAGE_METAL, 4, "metal")   /* Metal 2.2 and later */                               \
  X(RELAYOUT_LANGUAGE_WGSL, 5, "wgsl")     /* has integers of 32 bits alone */                     \
  X(RELAYOUT_LANGUAGE_GLSL, 6, "glsl")     /* 3.30, ES 3.00 and later; 32 bits likewise */         \
  X(RELAYOUT_LANGUAGE_PYTHON, 7, "python") /* 3 */

typedef enum relayout_language {
#define RELAYOUT_LANGUAGE_ENUMERATOR(name, value, text) name = value,
  RELAYOUT_LANGUAGE_TABLE(RELAYOUT_LANGUAGE_ENUMERATOR)
#undef RELAYOUT_LANGUAGE_ENUMERATOR
} relayout_language;

/* The language's name, as in the table above; "invalid" for any other number. Static storage. */
RELAYOUT_API const char *relayout_language_name(relayout_language language);

/* Finds the language with exactly this name. RELAYOUT_INVALID_TEXT; RELAYOUT_INVALID_ARGUMENT for a
 * NULL. */
RELAYOUT_API relayout_status relayout_language_parse(const char *text, relayout_language *language,
                                                     relayout_error *error);

/* Of a name, in characters. */
enum { RELAYOUT_EMIT_MAX_NAME = 63 };

/* Start from RELAYOUT_EMIT_OPTIONS_INIT. Nothing in it is kept. */
typedef struct relayout_emit_options {
  size_t struct_size;
  relayout_language language;
  /* The function's name, with which all other names of the text begin too; NULL: "at". It is a
   * letter, followed by letters, digits and single underscores, and no word of the language. Names
   * of the language's own functions are not refused. */
  const char *name;
} relayout_emit_options;

#define RELAYOUT_EMIT_OPTIONS_INIT                                                                 \
  { .struct_size = sizeof(relayout_emit_options) }

/* Prints the layout's index functions as source text, every size in it a constant. With the name
 * "at", rank 2 and
 *
 *   c       static inline int64_t at(int64_t i0, int64_t i1)
 *           static inline bool at_inverse(int64_t linear, int64_t *indices)
 *   opencl  static inline long at(long i0, long i1)
 *           static inline bool at_inverse(long linear, long *indices)
 *   cuda    static __host__ __device__ __forceinline__ long long at(long long i0, long long i1)
 *           static __host__ __device__ __forceinline__ bool at_inverse(long long linear,
 *                                                                      long long *indices)
 *   hip     as cuda
 *   metal   static inline long at(long i0, long i1)
 *           static inline bool at_inverse(long linear, thread long *indices)
 *   wgsl    fn at(i0: u32, i1: u32) -> u32
 *           fn at_inverse(linear: u32, indices: ptr<function, array<u32, 2>>) -> bool
 *   glsl    uint at(uint i0, uint i1)
 *           bool at_inverse(uint linear, out uint indices[2])
 *   python  at(i0, i1)
 *           at_inverse(linear)
 *
 * at returns the linear index in elements, as relayout_index_to_linear does. It checks nothing:
 * each index must be 0 or more, and less than its dimension's padded width.
 *
 * at_inverse returns whether an element of the tensor lies at the linear index: none lies in
 * padding of any kind, below 0, or past the end. It writes the element's multi-index to `indices`,
 * and writes nothing where there is no element. In GLSL `indices` are undefined then. In Python it
 * returns a tuple, or None. Where the tensor has rank 0, WGSL's and GLSL's at_inverse has no
 * `indices`, and the others' may be NULL.
 *
 * Beside them stand the constants at_elements, at_physical_elements, at_bytes and at_element_bits:
 * how many elements the tensor has, how many it takes in memory with padding, the bytes of these,
 * and the bits that each takes in memory. In WGSL and GLSL a constant of more than 32 bits is left
 * out. A comment says where in its bytes a packed element lies.
 *
 * The functions need nothing else, but <stdint.h> and <stdbool.h> in C, which the text includes.
 * They use 32-bit arithmetic wherever values fit. In Python the indices may be whole numbers or
 * NumPy's arrays of a 64-bit type, and the linear index a whole number.
 *
 * Like snprintf: writes at most `capacity` bytes with the NUL (buffer may be NULL when capacity is
 * 0). `*length` becomes the length of the whole text without it. The options may be NULL: C, "at".
 * RELAYOUT_UNSUPPORTED where WGSL or GLSL would need integers of 64 bits, because the tensor takes
 * 2^32 elements or more; RELAYOUT_INVALID_ARGUMENT for a NULL, an unknown language, and a name that
 * is none; what relayout_shape_validate returns for an invalid shape; RELAYOUT_OUT_OF_MEMORY. */
RELAYOUT_API relayout_status relayout_shape_emit_index(const relayout_shape *shape,
                                                       const relayout_emit_options *options,
                                                       char *buffer, size_t capacity,
                                                       size_t *length, relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
