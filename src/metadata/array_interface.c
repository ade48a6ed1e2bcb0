/* array_interface.c: NumPy's description of an array.
 *
 * Depends on view.h, widths.h and on base/.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "metadata/quote.h"
#include "metadata/view.h"
#include "metadata/widths.h"
#include "relayout/interchange.h"

typedef struct type_row {
  char kind;
  char digits[3]; /* bytes */
  relayout_element_type type;
} type_row;

static const type_row types[] = {
    {'b', "1", RELAYOUT_PRED}, {'i', "1", RELAYOUT_S8},    {'i', "2", RELAYOUT_S16},
    {'i', "4", RELAYOUT_S32},  {'i', "8", RELAYOUT_S64},   {'u', "1", RELAYOUT_U8},
    {'u', "2", RELAYOUT_U16},  {'u', "4", RELAYOUT_U32},   {'u', "8", RELAYOUT_U64},
    {'f', "2", RELAYOUT_F16},  {'f', "4", RELAYOUT_F32},   {'f', "8", RELAYOUT_F64},
    {'c', "8", RELAYOUT_C64},  {'c', "16", RELAYOUT_C128},
};

enum { TYPE_COUNT = sizeof types / sizeof types[0] };

/* Of one byte there is no order, whatever is written; '=' is the host's. */
static bool read_order(const char *typestr, bool is_byte, relayout_byte_order *order) {
  const char written = typestr[0];
  *order = is_byte || written == '=' ? RELAYOUT_BYTE_ORDER_NATIVE
           : written == '<'          ? RELAYOUT_BYTE_ORDER_LITTLE
                                     : RELAYOUT_BYTE_ORDER_BIG;
  return strchr(is_byte ? "<>=|" : "<>=", written) != NULL;
}

/* Native where the order is the host's. */
static relayout_status read_typestr(const char *typestr, relayout_element_type *type,
                                    relayout_byte_order *order, relayout_error *error) {
  const rlt_quote quoted = rlt_quote_text(typestr, strlen(typestr));
  for (size_t i = 0; i < TYPE_COUNT && typestr[0] != '\0'; ++i) {
    if (types[i].kind != typestr[1] || strcmp(types[i].digits, typestr + 2) != 0) {
      continue;
    }
    if (!read_order(typestr, strcmp(types[i].digits, "1") == 0, order)) {
      return rlt_fail(error, RELAYOUT_UNSUPPORTED, "typestr is %s, which has no byte order",
                      quoted.text);
    }
    *order = rlt_byte_order_is_foreign(*order) ? *order : RELAYOUT_BYTE_ORDER_NATIVE;
    *type = types[i].type;
    return RELAYOUT_OK;
  }
  return rlt_fail(
      error, RELAYOUT_UNSUPPORTED, "typestr is %s, which is not an element type%s", quoted.text,
      typestr[0] != '\0' && typestr[1] == 'V'
          ? "; a void type must be given by the name of the element type that it stands for"
          : "");
}

relayout_status relayout_view_from_array_interface(const char *typestr, int32_t rank,
                                                   const int64_t *shape, const int64_t *strides,
                                                   bool is_read_only, relayout_view *view,
                                                   relayout_error *error) {
  if (typestr == NULL || view == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    typestr == NULL ? "typestr" : "view");
  }
  relayout_element_type type = RELAYOUT_ELEMENT_TYPE_INVALID;
  relayout_byte_order order = RELAYOUT_BYTE_ORDER_NATIVE;
  relayout_status status = read_typestr(typestr, &type, &order, error);
  if (status == RELAYOUT_OK) {
    status = relayout_view_make_strided(type, rank, shape, strides, view, error);
  }
  if (status == RELAYOUT_OK) {
    view->is_read_only = is_read_only;
    view->byte_order = order;
  }
  return status;
}

static bool is_big(relayout_byte_order order) {
  const bool host_is = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  return order == RELAYOUT_BYTE_ORDER_BIG || (order == RELAYOUT_BYTE_ORDER_NATIVE && host_is);
}

relayout_status relayout_view_to_array_interface(const relayout_view *view,
                                                 char typestr[RELAYOUT_TYPESTR_SIZE],
                                                 int64_t *shape, int64_t *strides,
                                                 relayout_error *error) {
  int64_t found[RELAYOUT_MAX_RANK];
  relayout_status status = relayout_view_byte_strides(view, found, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const int32_t rank = view->shape.rank;
  if (typestr == NULL || (rank > 0 && (shape == NULL || strides == NULL))) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    typestr == NULL ? "typestr"
                    : shape == NULL ? "shape"
                                    : "strides");
  }
  size_t i = 0;
  while (i < TYPE_COUNT && types[i].type != view->shape.element_type) {
    ++i;
  }
  if (i == TYPE_COUNT || rlt_custom_bits(&view->shape) > 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "NumPy has no %s%s",
                    relayout_element_type_name(view->shape.element_type),
                    i == TYPE_COUNT ? "" : " in wider containers");
  }
  const bool is_byte = strcmp(types[i].digits, "1") == 0;
  const char order = is_byte ? '|' : is_big(view->byte_order) ? '>' : '<';
  snprintf(typestr, RELAYOUT_TYPESTR_SIZE, "%c%c%s", order, types[i].kind, types[i].digits);
  memcpy(strides, found, (size_t)rank * sizeof found[0]);
  memcpy(shape, view->shape.dimensions, (size_t)rank * sizeof found[0]);
  return RELAYOUT_OK;
}
