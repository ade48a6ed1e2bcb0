/* mpi_consumer.c: a program outside the project that moves a tensor by MPI, as the only rank. */
#include <relayout/mpi.h>
#include <relayout/relayout.h>
#include <stdio.h>
#include <string.h>

static int run(void) {
  static const unsigned char rows[6] = "abcdef";
  unsigned char columns[6] = "";
  const relayout_sharding one = {.kind = RELAYOUT_SHARDING_MAXIMAL};
  relayout_shape from, to;
  relayout_device *device = NULL;
  relayout_mpi_reshard *reshard = NULL;
  relayout_error error = {.message = ""};
  const int is_moved = relayout_shape_parse("u8[2,3]", &from, &error) == RELAYOUT_OK &&
                       relayout_shape_parse("u8[2,3]{0,1}", &to, &error) == RELAYOUT_OK &&
                       relayout_device_open("cpu", &device, &error) == RELAYOUT_OK &&
                       relayout_mpi_reshard_create(MPI_COMM_WORLD, device, &from, &one, &to, &one,
                                                   NULL, &reshard, &error) == RELAYOUT_OK &&
                       relayout_mpi_reshard_start(reshard, rows, columns, &error) == RELAYOUT_OK &&
                       relayout_mpi_reshard_wait(reshard, &error) == RELAYOUT_OK &&
                       memcmp(columns, "adbecf", 6) == 0;
  relayout_mpi_reshard_destroy(reshard);
  relayout_device_destroy(device);
  if (!is_moved) {
    fprintf(stderr, "%s\n", error.message);
  }
  return is_moved ? 0 : 1;
}

int main(int argument_count, char **arguments) {
  MPI_Init(&argument_count, &arguments);
  const int code = run();
  MPI_Finalize();
  return code;
}
