/* problem_text.h: a problem as one line of text. Two problems have the same text exactly if they
 * are moved in the same way.
 *
 * Depends on problem.h and base/. */
#ifndef RLT_PROBLEM_PROBLEM_TEXT_H
#define RLT_PROBLEM_PROBLEM_TEXT_H

#include "base/text.h"
#include "problem/problem.h"

/* What the text contains, and its form. */
#define RLT_PROBLEM_TEXT_VERSION 3

/* Appends
 *
 *     bytes 4 elements 2624:2624 starts 0:0 keeps 64/64:41:1 41/41:1:64
 *
 * the word, what both sides hold and where they begin, and each axis' extent, valid digits and
 * strides; and in between, where there are any
 *
 *     packed 0:4                                     bits an element takes on either side
 *     converts f32:bf16:saturates:3ff0000000000000   types, overflow, the scale's bits; and
 *              f32:s8:saturates:3ff0000000000000:nearest    where integers are the nearest
 *     orders own:other                               whether bytes have the host's order
 *     first high:low                                 the ends where bytes' packed elements begin
 *     reverses 4                                     bits of the elements of each byte
 *     shuffles 03020100...                           the bytes of a word
 *     swaps 4:256                                    bits, and the stride of the rows
 *     program 7f3a...                                a hash of all its operations
 *
 * The filling values, `fill` and `fill_word`, are left out, because they do not change how the
 * problem is moved. The text has only lower case letters, digits and " /:-". */
void rlt_problem_add_text(const rlt_problem *problem, rlt_text *text);

#endif
