/* A STREAM triad with its own clock: prints the bytes a second of the best of ten, N elements. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

int main(int count, char **words) {
    size_t n = count > 1 ? strtoull(words[1], NULL, 10) : 10000000;
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
    double best = 1e30, scalar = 3.0;
    if (!a || !b || !c) return 1;
    for (size_t j = 0; j < n; j++) {
        a[j] = 1.0;
        b[j] = 2.0;
        c[j] = 0.0;
    }
    for (int k = 0; k < 11; k++) {
        double begin = now();
        for (size_t j = 0; j < n; j++) a[j] = b[j] + scalar * c[j];
        double passed = now() - begin;
        if (k > 0 && passed < best) best = passed; /* the first is not counted */
        c[k] = a[n - 1 - (size_t)k];               /* the next one is not the same */
    }
    printf("%.6e\n", 3.0 * sizeof *a * (double)n / best);
    return a[n / 2] == 2.0 ? 0 : 2;
}
