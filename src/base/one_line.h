/* one_line.h: text that comes from elsewhere (a caller, the environment, a driver), made fit for a
 * message. Depends on nothing. */
#ifndef RLT_BASE_ONE_LINE_H
#define RLT_BASE_ONE_LINE_H

/* Puts a `?` in place of each control character, but for those in `kept`, and of each byte that is
 * no part of UTF-8, as where a text was cut. Control characters are those of ASCII and of Latin-1
 * and Unicode's line and paragraph separators: what a terminal obeys, or ends a line. */
void rlt_clean_text(char *text, const char *kept);

#endif
