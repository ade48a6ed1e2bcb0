/* npy_source.c: compares the array that a .npy file holds with the buffer that --from describes. */
#include "npy_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"

exit_code npy_source_header(stream_input *input, npy_header *header, size_t *size,
                            relayout_status *status, relayout_error *error) {
  *status = npy_header_size(input->ahead, input->ahead_size, size, error);
  if (*status != RELAYOUT_OK) {
    return EXIT_CODE_OK;
  }
  uint8_t *const bytes = malloc(*size);
  if (bytes == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for a header of %zu bytes", *size);
  }
  size_t got;
  const exit_code code = stream_read(input, bytes, *size, &got);
  if (code == EXIT_CODE_OK) {
    *status = npy_parse(bytes, got, header, error);
  }
  free(bytes);
  return code;
}

/* The array's dimensions as they lie in memory, major to minor. */
static void list_physical(const npy_header *header, int64_t *widths) {
  for (int32_t i = 0; i < header->rank; i++) {
    const int32_t d = header->fortran_order ? header->rank - 1 - i : i;
    widths[i] = header->dimensions[d];
  }
}

static void drop_ones(int32_t *rank, int64_t *widths) {
  int32_t kept = 0;
  for (int32_t i = 0; i < *rank; i++) {
    if (widths[i] != 1) {
      widths[kept] = widths[i];
      kept += 1;
    }
  }
  *rank = kept;
}

/* Whether the file's array lies in memory as the shape does. Dimensions of one element lie
 * anywhere, and a file of one dimension may hold any buffer of as many bytes. */
static bool lies_alike(const npy_header *header, const relayout_shape *shape) {
  const npy_header expected = npy_describe(shape);
  size_t bytes;
  if (header->rank == 1 && relayout_shape_byte_size(shape, &bytes, NULL) == RELAYOUT_OK) {
    return header->dimensions[0] == (int64_t)bytes / header->item_size;
  }
  int64_t widths[RELAYOUT_MAX_RANK];
  int64_t expected_widths[RELAYOUT_MAX_RANK];
  int32_t rank = header->rank;
  int32_t expected_rank = expected.rank;
  list_physical(header, widths);
  list_physical(&expected, expected_widths);
  drop_ones(&rank, widths);
  drop_ones(&expected_rank, expected_widths);
  return rank == expected_rank &&
         memcmp(widths, expected_widths, (size_t)rank * sizeof *widths) == 0;
}

static void format_dimensions(const npy_header *header, size_t capacity, char *text) {
  size_t length = (size_t)snprintf(text, capacity, "(");
  for (int32_t i = 0; i < header->rank && length < capacity; i++) {
    length += (size_t)snprintf(text + length, capacity - length, "%s%" PRId64, i > 0 ? ", " : "",
                               header->dimensions[i]);
  }
  if (length < capacity) {
    snprintf(text + length, capacity - length, ") in %s order",
             header->fortran_order ? "Fortran" : "C");
  }
}

exit_code npy_source_stated(const char *from, const npy_header *header, relayout_element_type type,
                            relayout_shape *shape) {
  relayout_error error;
  relayout_shape array = {.element_type = type, .rank = header->rank};
  if (header->fortran_order) {
    relayout_layout_make_ascending(header->rank, &array.layout, NULL);
  } else {
    relayout_layout_make_descending(header->rank, &array.layout, NULL);
  }
  if (relayout_shape_parse_with_defaults(from, &array, shape, &error) != RELAYOUT_OK) {
    return report_error("--from", &error);
  }
  if (strchr(from, '[') != NULL) { /* which only whole shapes have */
    return EXIT_CODE_OK;
  }
  int64_t widths[RELAYOUT_MAX_RANK];
  list_physical(header, widths);
  for (int32_t i = 0; i < header->rank; i++) {
    shape->dimensions[shape->layout.minor_to_major[header->rank - 1 - i]] = widths[i];
  }
  return relayout_shape_validate(shape, &error) == RELAYOUT_OK ? EXIT_CODE_OK
                                                               : report_error("--from", &error);
}

exit_code npy_source_shape(const char *from, const char *name, const npy_header *header,
                           relayout_shape *shape) {
  relayout_error error;
  const bool says_type = from != NULL && !arguments_is_bare_layout(from);
  relayout_shape stated = {.element_type = RELAYOUT_ELEMENT_TYPE_INVALID};
  if (says_type) {
    const exit_code code = npy_source_stated(from, header, RELAYOUT_U8, &stated);
    if (code != EXIT_CODE_OK) {
      return code;
    }
  }
  const relayout_element_type stored =
      says_type ? npy_stored_type(&stated) : RELAYOUT_ELEMENT_TYPE_INVALID;
  relayout_element_type type;
  if (npy_element_type(header, stored, &type, &error) != RELAYOUT_OK) {
    return report_error(name, &error);
  }
  relayout_shape own;
  if (npy_shape(header, type, &own, &error) != RELAYOUT_OK) {
    return report_error(name, &error);
  }
  if (from == NULL) {
    *shape = own;
    return EXIT_CODE_OK;
  }
  if (!says_type) {
    const exit_code code = npy_source_stated(from, header, type, &stated);
    if (code != EXIT_CODE_OK) {
      return code;
    }
  }
  if (!lies_alike(header, &stated)) {
    const npy_header wanted = npy_describe(&stated);
    char found_text[256];
    char wanted_text[256];
    format_dimensions(header, sizeof found_text, found_text);
    format_dimensions(&wanted, sizeof wanted_text, wanted_text);
    return report(EXIT_CODE_BAD_INPUT, "%s: the array is %s, but a buffer of --from %s is %s", name,
                  found_text, from, wanted_text);
  }
  *shape = stated;
  return EXIT_CODE_OK;
}

exit_code npy_source_read(const char *from, stream_input *input, relayout_byte_order *order,
                          relayout_shape *shape) {
  npy_header header = {.byte_order = RELAYOUT_BYTE_ORDER_NATIVE};
  relayout_error error;
  relayout_status status;
  size_t size;
  const exit_code code = npy_source_header(input, &header, &size, &status, &error);
  if (code != EXIT_CODE_OK || status != RELAYOUT_OK) {
    return code != EXIT_CODE_OK ? code : report_error(input->name, &error);
  }
  *order = header.byte_order;
  return npy_source_shape(from, input->name, &header, shape);
}
