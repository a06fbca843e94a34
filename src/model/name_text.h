/* What a text must be to be a name. */
#ifndef STOA_MODEL_NAME_TEXT_H
#define STOA_MODEL_NAME_TEXT_H

#include "stoa/status.h"

/* STOA_OK and the length of a text that can be a name; otherwise the thread's error is set. */
stoa_status stoa__name_text_check(const char *text, uint32_t *length);

#endif
