/* What `everylink predict` is compared with: a ring, a shift or an all-to-all of messages of one size, timed.
 *
 * usage: mpirun -n N exchange PATTERN BYTES ROUNDS    PATTERN: ring, shift:K, all-to-all
 *
 * An exchange is what docs/predict.md says: in each phase a rank posts its receive, sends, and waits for
 * both. ROUNDS of them follow one another, so that it matters little when ranks leave the barrier before;
 * rank 0 prints the seconds of one, by the slowest rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void exchange(int first, int last, int rank, int ranks, char* out, char* in, int bytes) {
  for (int k = first; k <= last; ++k) {
    MPI_Request requests[2];
    MPI_Irecv(in, bytes, MPI_BYTE, (rank - k + ranks) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, (rank + k) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int bytes = argc == 4 ? atoi(argv[2]) : -1, rounds = argc == 4 ? atoi(argv[3]) : 0;
  int first = 1, last = 1;
  if (argc == 4 && !strncmp(argv[1], "shift:", 6)) first = last = atoi(argv[1] + 6);
  if (argc == 4 && !strcmp(argv[1], "all-to-all")) last = ranks - 1;
  if (bytes < 0 || rounds < 1 || first < 1 || first >= ranks) {
    if (rank == 0) fprintf(stderr, "usage: exchange ring|shift:K|all-to-all BYTES ROUNDS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  char *out = malloc(bytes + 1), *in = malloc(bytes + 1);
  memset(out, 1, bytes + 1);
  memset(in, 2, bytes + 1);
  for (int i = 0; i <= rounds / 10; ++i) exchange(first, last, rank, ranks, out, in, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < rounds; ++i) exchange(first, last, rank, ranks, out, in, bytes);
  double own = (MPI_Wtime() - begin) / rounds, slowest = 0;
  MPI_Reduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.9g\n", slowest);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
