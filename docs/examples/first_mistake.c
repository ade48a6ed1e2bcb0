/* first_mistake.c: what a call says of an argument that cannot be right. */
#include <relayout/relayout.h>
#include <stdio.h>

int main(void) {
  relayout_error error;
  relayout_shape shape;
  const relayout_status status = relayout_shape_parse("f32[2,3]{0,0}", &shape, &error);
  printf("status %d: %s\n%s\n", (int)status, relayout_status_text(status), error.message);
  return status == RELAYOUT_INVALID_SHAPE ? 0 : 1;
}
