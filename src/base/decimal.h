/* Floating point numbers as text: the fewest digits that read back as the same number.
 *
 * The text is the same on every machine and in every locale: `1`, `2.5`, `-0`, `1e16`, `inf`,
 * `nan`. It reads back with strtof and strtod where the decimal point is a point. */
#ifndef STOA_BASE_DECIMAL_H
#define STOA_BASE_DECIMAL_H

#include "base/writer.h"

void stoa__writer_f32(stoa__writer *writer, float number);
void stoa__writer_f64(stoa__writer *writer, double number);

#endif
