/* The clock of the operating system: time that only goes forward. Any thread. */
#ifndef STOA_OS_CLOCK_H
#define STOA_OS_CLOCK_H

#include "stoa/compiler.h"

/* Nanoseconds since some moment in the past; tens of nanoseconds to ask for. */
uint64_t stoa__clock_now(void);

/* Returns once stoa__clock_now has reached `when`; at once if it has already. */
void stoa__clock_sleep_until(uint64_t when);

#endif
