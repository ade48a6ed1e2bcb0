/* npy.h: the headers of NumPy's .npy files, versions 1 to 3 (numpy.lib.format), on memory alone.
 *
 * A .npy file is a header and the bytes of one array. What the header says of it: the type of its
 * elements, its dimensions, and whether they lie in C order ({n-1 .. 0}) or Fortran order
 * ({0 .. n-1}). Nothing here does I/O or allocates; any bytes may be given. Depends on the public
 * headers. */
#ifndef TOOLS_NPY_H
#define TOOLS_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/shape.h"
#include "relayout/view.h"

enum {
  NPY_MAGIC_SIZE = 6,
  NPY_PREAMBLE_SIZE = 12,        /* magic, version and the length of what follows */
  NPY_MAX_HEADER_SIZE = 1 << 20, /* longer ones are refused; NumPy itself stops at 10000 bytes */
  NPY_MAX_WRITTEN_SIZE = 2048    /* the longest header that npy_write makes */
};

typedef struct npy_header {
  char kind;         /* NumPy's: b bool, i and u integers, f floats, c complex, V raw bytes */
  int64_t item_size; /* bytes of one element */
  relayout_byte_order byte_order; /* native for what has none, or the host's */
  bool fortran_order;
  int32_t rank;
  int64_t dimensions[RELAYOUT_MAX_RANK];
} npy_header;

/* Whether a file that begins with these bytes is a .npy file; 6 of them decide. */
bool npy_has_magic(const uint8_t *bytes, size_t size);

/* How long the header is, preamble included, from its first NPY_PREAMBLE_SIZE bytes (fewer where
 * the file ends). RELAYOUT_INVALID_TEXT. */
relayout_status npy_header_size(const uint8_t *bytes, size_t size, size_t *header_size,
                                relayout_error *error);

/* Reads a whole header of npy_header_size bytes. RELAYOUT_INVALID_TEXT; RELAYOUT_UNSUPPORTED for
 * what NumPy can say and this cannot: elements of several fields, objects, strings, dates, more
 * than 64 dimensions. */
relayout_status npy_parse(const uint8_t *bytes, size_t size, npy_header *header,
                          relayout_error *error);

/* The type of the file's elements; `wanted` is what the user says it is, or
 * RELAYOUT_ELEMENT_TYPE_INVALID. Raw bytes have the wanted type, when it has their size; so have
 * integers and floats where NumPy has no such type (bf16, f8e5m2, s4, ...: extensions of NumPy
 * write V2, f1, V1). RELAYOUT_SHAPE_MISMATCH. */
relayout_status npy_element_type(const npy_header *header, relayout_element_type wanted,
                                 relayout_element_type *type, relayout_error *error);

/* The file's array as a shape of this type: its dimensions, in the descending layout, or in the
 * ascending one for Fortran order. */
relayout_status npy_shape(const npy_header *header, relayout_element_type type,
                          relayout_shape *shape, relayout_error *error);

/* What a file of this shape has for elements: its own type; bytes where elements are packed;
 * unsigned integers of their size where they lie in wider containers. */
relayout_element_type npy_stored_type(const relayout_shape *shape);

/* The header of a file that holds a buffer of this (valid) shape as it lies in memory. In the
 * descending and the ascending layout without padding that is the shape itself, in C and in Fortran
 * order; in any other the padded dimensions, listed major to minor; with tiles, what these make of
 * them. A buffer with an aligned tail is a list of its elements, packed elements are a list of
 * bytes, and so is what would take more than 64 dimensions of its elements. Types that NumPy lacks,
 * and wider containers of any type, are unsigned integers of their size. */
npy_header npy_describe(const relayout_shape *shape);

/* Writes the header as a version 1 file begins with it; returns its size. */
size_t npy_write(const npy_header *header, char bytes[NPY_MAX_WRITTEN_SIZE]);

#endif
