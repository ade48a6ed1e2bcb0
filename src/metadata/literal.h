/* literal.h: one element as text, to and from its bits. Knows no locale.
 *
 * Depends on the type table, on float_format.h and on base/.
 */
#ifndef RLT_METADATA_LITERAL_H
#define RLT_METADATA_LITERAL_H

#include <stddef.h>

#include "base/text.h"
#include "metadata/type_table.h"
#include "relayout/status.h"

/* Parses exactly these characters: a decimal number; inf, -inf or nan for floats; true or false for
 * pred; or 0x and the element's bits, of a complex element the imaginary part's before the real
 * part's. RELAYOUT_INVALID_TEXT names the text and the type. */
relayout_status rlt_literal_parse(const char *text, size_t length, const rlt_type_row *row,
                                  rlt_element *element, relayout_error *error);

/* Writes a short number that parses to these bits, or 0x and the bits where no number does. */
void rlt_literal_format(const rlt_type_row *row, rlt_element element, rlt_text *text);

#endif
