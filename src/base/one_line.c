/* one_line.c: walks over UTF-8. */
#include "base/one_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How many bytes the character that begins so has; 0 for what begins none. Overlong forms begin
 * with 0xc0 and 0xc1, or are found by their code. */
static size_t length_of(unsigned char first) {
  return first < 0x80                    ? 1
         : first >= 0xc2 && first < 0xe0 ? 2
         : first >= 0xe0 && first < 0xf0 ? 3
         : first >= 0xf0 && first < 0xf5 ? 4
                                         : 0;
}

/* The character there, and in `length` its bytes; 0 bytes where it is none. */
static uint32_t decode(const char *at, size_t *length) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char first = (unsigned char)*at;
  const size_t bytes = length_of(first);
  uint32_t code = bytes < 2 ? first : first & (0x7fU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const unsigned char next = (unsigned char)at[i];
    if ((next & 0xc0) != 0x80) { /* the end of the text too */
      *length = 0;
      return 0;
    }
    code = code << 6 | (next & 0x3f);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  *length = bytes > 0 && (is_surrogate || code > 0x10ffff || code < least[bytes]) ? 0 : bytes;
  return code;
}

static bool is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029;
}

void rlt_clean_text(char *text, const char *kept) {
  char *to = text;
  for (const char *from = text; *from != '\0';) {
    size_t length = 0;
    const uint32_t code = decode(from, &length);
    const bool stays = length > 1
                           ? !is_control(code)
                           : length == 1 && (!is_control(code) || strchr(kept, *from) != NULL);
    if (stays) {
      memmove(to, from, length);
      to += length;
    } else {
      *to++ = '?';
    }
    from += length == 0 ? 1 : length;
  }
  *to = '\0';
}
