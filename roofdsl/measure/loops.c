/* The loops that are timed. Each is done `passes` times over n elements; between two passes the
   compiler is told that memory may have changed, so that none is left out or moved. */
#include <stddef.h>

#define AGAIN __asm__ volatile("" ::: "memory")

#define LOOPS(T, NAME)                                                                             \
    void copy_##NAME(T *restrict a, T *restrict b, T *restrict c, size_t n, size_t passes) {       \
        (void)b;                                                                                   \
        for (size_t p = 0; p < passes; p++) {                                                      \
            for (size_t i = 0; i < n; i++) c[i] = a[i];                                            \
            AGAIN;                                                                                 \
        }                                                                                          \
    }                                                                                              \
    void scale_##NAME(T *restrict a, T *restrict b, T *restrict c, size_t n, size_t passes) {      \
        (void)a;                                                                                   \
        for (size_t p = 0; p < passes; p++) {                                                      \
            for (size_t i = 0; i < n; i++) b[i] = (T)3 * c[i];                                     \
            AGAIN;                                                                                 \
        }                                                                                          \
    }                                                                                              \
    void add_##NAME(T *restrict a, T *restrict b, T *restrict c, size_t n, size_t passes) {        \
        for (size_t p = 0; p < passes; p++) {                                                      \
            for (size_t i = 0; i < n; i++) c[i] = a[i] + b[i];                                     \
            AGAIN;                                                                                 \
        }                                                                                          \
    }                                                                                              \
    void triad_##NAME(T *restrict a, T *restrict b, T *restrict c, size_t n, size_t passes) {      \
        for (size_t p = 0; p < passes; p++) {                                                      \
            for (size_t i = 0; i < n; i++) a[i] = b[i] + (T)3 * c[i];                              \
            AGAIN;                                                                                 \
        }                                                                                          \
    }                                                                                              \
    /* 16 multiply-adds an element, of which x = 1 is kept: it stays a usual number. */            \
    void adds_##NAME(T *restrict a, T *restrict b, T *restrict c, size_t n, size_t passes) {       \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        for (size_t p = 0; p < passes; p++) {                                                      \
            for (size_t i = 0; i < n; i++) {                                                       \
                T x = a[i];                                                                        \
                x = x * (T)0.5 + (T)0.5; x = x * (T)0.5 + (T)0.5;                                  \
                x = x * (T)0.5 + (T)0.5; x = x * (T)0.5 + (T)0.5;                                  \
                x = x * (T)0.5 + (T)0.5; x = x * (T)0.5 + (T)0.5;                                  \
                x = x * (T)0.5 + (T)0.5; x = x * (T)0.5 + (T)0.5;                                  \
                x = x * (T)0.5 + (T)0.5; x = x * (T)0.5 + (T)0.5;                                  \
                x = x * (T)0.5 + (T)0.5; x = x * (T)0.5 + (T)0.5;                                  \
                x = x * (T)0.5 + (T)0.5; x = x * (T)0.5 + (T)0.5;                                  \
                x = x * (T)0.5 + (T)0.5; x = x * (T)0.5 + (T)0.5;                                  \
                a[i] = x;                                                                          \
            }                                                                                      \
            AGAIN;                                                                                 \
        }                                                                                          \
    }

LOOPS(double, fp64)
LOOPS(float, fp32)
