/* test_combine.c: dimensions that become one, as both sides' layouts allow it. */
#include "cmocka_all.h"

#include "problem/combine.h"
#include "shape_of.h"

typedef struct combine_case {
  const char *from, *to;
  const char *combined_from, *combined_to; /* NULL: as they were */
} combine_case;

static const combine_case cases[] = {
    /* A tile on one side merges both; the other side has none. */
    {"u8[6,4]{1,0}", "u8[6,4]{1,0:T(*,12)}", "u8[24]{0}", "u8[24]{0:T(12)}"},
    {"u8[6,4]{1,0:T(*,12)}", "u8[6,4]{1,0}", "u8[24]{0:T(12)}", "u8[24]{0}"},
    {"u8[6,4]{1,0:T(*,12)}", "u8[6,4]{1,0:T(*,8)}", "u8[24]{0:T(12)}", "u8[24]{0:T(8)}"},
    /* Three of them; two of three; two beside others, whose numbers change. */
    {"u8[2,3,4]{2,1,0}", "u8[2,3,4]{2,1,0:T(*,*,6)}", "u8[24]{0}", "u8[24]{0:T(6)}"},
    {"u8[2,3,4]{2,1,0}", "u8[2,3,4]{2,1,0:T(2,*,6)}", "u8[2,12]{1,0}", "u8[2,12]{1,0:T(2,6)}"},
    {"u8[2,3,4]{2,1,0}", "u8[2,3,4]{2,1,0:T(*,3,4)}", "u8[6,4]{1,0}", "u8[6,4]{1,0:T(3,4)}"},
    {"u8[5,2,3,7]{0,2,1,3}", "u8[5,2,3,7]{0,2,1,3:T(*,2,5)}", "u8[5,6,7]{0,1,2}",
     "u8[5,6,7]{0,1,2:T(2,5)}"},
    {"u8[3,2]{0,1}", "u8[3,2]{0,1:T(*,4)}", "u8[6]{0}", "u8[6]{0:T(4)}"},
    {"u8[7,3,5,2]{2,0,1,3}", "u8[7,3,5,2]{2,0,1,3:T(*,*,5)}", "u8[105,2]{0,1}",
     "u8[105,2]{0,1:T(5)}"},
    {"u8[2,3,4]{2,1,0}", "u8[2,3,4]{2,1,0:T(*,12)}", "u8[2,12]{1,0}", "u8[2,12]{1,0:T(12)}"},
    /* Further tiles stay. */
    {"u8[6,4]{1,0}", "u8[6,4]{1,0:T(*,8)(2,1)}", "u8[24]{0}", "u8[24]{0:T(8)(2,1)}"},
    /* Padding of the major dimension is as many rows more. */
    {"u8[6,4]{1,0:PD(7,4)}", "u8[6,4]{1,0:T(*,12)}", "u8[24]{0:PD(28)}", "u8[24]{0:T(12)}"},
    {"u8[6,4]{1,0}", "u8[6,4]{1,0:PD(8,4)T(*,12)}", "u8[24]{0}", "u8[24]{0:PD(32)T(12)}"},
    {"u8[2,3,4]{2,1,0:PD(9,3,4)}", "u8[2,3,4]{2,1,0:T(2,*,6)}", "u8[2,12]{1,0:PD(9,12)}",
     "u8[2,12]{1,0:T(2,6)}"},
    /* That of the minor one keeps them apart, on either side. */
    {"u8[6,4]{1,0:PD(6,5)}", "u8[6,4]{1,0:T(*,12)}", NULL, NULL},
    {"u8[6,4]{1,0}", "u8[6,4]{1,0:PD(6,5)T(*,12)}", NULL, NULL},
    /* So do other orders, tiles that do not merge them, and tiles that do not reach so far. */
    {"u8[6,4]{0,1}", "u8[6,4]{1,0:T(*,12)}", NULL, NULL},
    {"u8[2,3,4]{2,0,1}", "u8[2,3,4]{2,1,0:T(*,*,6)}", NULL, NULL},
    {"u8[6,4]{1,0}", "u8[6,4]{1,0:T(2,4)}", NULL, NULL},
    {"u8[6,4]{1,0:T(2,4)}", "u8[6,4]{1,0:T(*,8)}", NULL, NULL},
    {"u8[2,3,4]{2,1,0}", "u8[2,3,4]{2,1,0:T(3,4)}", NULL, NULL},
    {"u8[6,4]{1,0}", "u8[6,4]{1,0:T(2)}", NULL, NULL},
    {"u8[6,4]{1,0}", "u8[6,4]{1,0:T(2,4)(*,4)}", NULL, NULL},
    /* Without tiles nothing has to be combined. */
    {"u8[6,4]{1,0}", "u8[6,4]{1,0}", NULL, NULL},
    {"u8[]{:T(2)}", "u8[]", NULL, NULL},
};

static void test_cases(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const combine_case *const c = &cases[i];
    relayout_shape from = shape_of(c->from);
    relayout_shape to = shape_of(c->to);
    print_message("%s -> %s\n", c->from, c->to);
    rlt_combine_dimensions(&from, &to);
    const relayout_shape wanted_from =
        shape_of(c->combined_from != NULL ? c->combined_from : c->from);
    const relayout_shape wanted_to = shape_of(c->combined_to != NULL ? c->combined_to : c->to);
    assert_int_equal(relayout_shape_validate(&from, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_shape_validate(&to, NULL), RELAYOUT_OK);
    assert_true(relayout_shape_equal(&from, &wanted_from));
    assert_true(relayout_shape_equal(&to, &wanted_to));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
  return cmocka_run_group_tests_name("problem.combine", tests, NULL, NULL);
}
