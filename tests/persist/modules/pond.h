/* What the versions of the pond share: they count in the test program, which shows it. */
#ifndef STOA_TESTS_POND_H
#define STOA_TESTS_POND_H

#include "stoa/module.h"

/* Of the test program: which version was last called by whom, and how often anything was. */
extern _Atomic int host_step; /* systems run on threads */
extern int host_hook;
extern int host_observer;
extern int host_listener;
extern int host_veto;
extern int host_drop;
extern int host_unload;
extern int host_setup;
extern int host_fail;

/* A hook that is the test program's: counts in host_drop. */
void host_removed(stoa_world *world, stoa_entity e, void *value, void *user);

#endif
