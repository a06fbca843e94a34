/* The benchmark program: options, the table, the csv file. */
#include "bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    const char *csv_path;
    const char *filter; /* part of a workload's name */
    bool quick;
    bool help;
} options;

static const char usage[] =
    "usage: stoa_bench [--filter TEXT] [--quick] [--csv PATH] [--help]\n"
    "  --filter TEXT  only the workloads whose name contains TEXT\n"
    "  --quick        fewer repetitions: figures good enough to see that it runs\n"
    "  --csv PATH     where the figures go, build/bench.csv if not given\n"
    "  --help         this text\n";

/* False on a bad option, with a message. */
static bool options_read(options *given, int count, char **words) {
    *given = (options){.csv_path = "build/bench.csv", .filter = ""};
    for (int i = 1; i < count; i++) {
        const char *word = words[i];
        const char **value = strcmp(word, "--csv") == 0      ? &given->csv_path
                             : strcmp(word, "--filter") == 0 ? &given->filter
                                                             : NULL;
        if (value != NULL) {
            if (++i == count) {
                (void)fprintf(stderr, "stoa_bench: %s needs a value\n", word);
                return false;
            }
            *value = words[i];
        } else if (strcmp(word, "--quick") == 0) {
            given->quick = true;
        } else if (strcmp(word, "--help") == 0) {
            given->help = true;
        } else {
            (void)fprintf(stderr, "stoa_bench: unknown option %s\n", word);
            return false;
        }
    }
    return true;
}

/* A target is a multiple of the limit, so many nanoseconds, or so many beyond the limit; some rows
 * have none, some two, of which both must hold. */
static void target_print(const bench_row *row, bench_result result) {
    double ratio = result.stoa / result.limit;
    bool ok = (row->over <= 0 || result.stoa - result.limit <= row->over) &&
              (row->most <= 0 || result.stoa <= row->most) &&
              (row->target <= 0 || ratio <= row->target);
    if (row->over > 0) {
        (void)printf(" %+.4g ns", row->over);
    } else if (row->target > 0 && row->most > 0) {
        (void)printf(" %7.2f and %.4g ns", row->target, row->most);
    } else if (row->most > 0) {
        (void)printf(" %4.3g ns", row->most);
    } else if (row->target > 0) {
        (void)printf(" %7.2f", row->target);
    } else {
        (void)printf(" %7s\n", "-");
        return;
    }
    (void)printf("  %s\n", ok ? "ok" : "over");
}

static void figure_print(double figure) {
    (void)printf(" %11.*f", figure < 0.01 ? 5 : 3, figure);
}

static void row_print(const bench_row *row, bench_result result) {
    (void)printf("%-22s %9d", row->name, (int)row->size.n);
    figure_print(result.stoa);
    figure_print(result.limit);
    (void)printf(" %7.2f", result.stoa / result.limit);
    target_print(row, result);
    (void)fflush(stdout);
}

static void row_write(FILE *csv, const bench_row *row, bench_result result) {
    (void)fprintf(csv, "%s,%d,%.5g,%.5g,%.4f\n", row->name, (int)row->size.n, result.stoa,
                  result.limit, result.stoa / result.limit);
}

/* Returns how many rows there were. */
static int32_t rows_run(const options *given, FILE *csv) {
    bench_effort effort = given->quick ? (bench_effort){3, 0.05} : (bench_effort){25, 1.0};
    int32_t found = 0;
    (void)printf("%-22s %9s %11s %11s %7s %7s\n", "workload", "n", "stoa ns/op", "limit ns/op",
                 "ratio", "target");
    (void)fprintf(csv, "workload,n,ns_per_op,limit_ns_per_op,ratio\n");
    for (int32_t i = 0; i < bench_row_count; i++) {
        const bench_row *row = &bench_rows[i];
        if (strstr(row->name, given->filter) == NULL) {
            continue;
        }
        found++;
        if (row->threads > 1 && bench_cores_widen() < row->threads) {
            (void)printf("%-22s %9d  left out: needs %d cores\n", row->name, (int)row->size.n,
                         (int)row->threads);
        } else {
            bench_result result = bench_measure(row, effort);
            row_print(row, result);
            row_write(csv, row, result);
        }
        bench_cores_narrow();
    }
    return found;
}

int main(int argument_count, char **arguments) {
    options given;
    if (!options_read(&given, argument_count, arguments)) {
        (void)fputs(usage, stderr);
        return 2;
    }
    if (given.help) {
        (void)fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    FILE *csv = fopen(given.csv_path, "w");
    if (csv == NULL) {
        perror(given.csv_path);
        return EXIT_FAILURE;
    }
    int32_t found = rows_run(&given, csv);
    if (fclose(csv) != 0) {
        perror(given.csv_path);
        return EXIT_FAILURE;
    }
    if (found == 0) {
        (void)fprintf(stderr, "stoa_bench: no workload has '%s' in its name\n", given.filter);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
