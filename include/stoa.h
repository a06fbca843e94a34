/* stoa: an archetype entity component system. This header includes all the others. */
#ifndef STOA_H
#define STOA_H

#include "stoa/access.h"
#include "stoa/allocator.h"
#include "stoa/app.h"
#include "stoa/change.h"
#include "stoa/commands.h"
#include "stoa/component.h"
#include "stoa/entity.h"
#include "stoa/event.h"
#include "stoa/guard.h"
#include "stoa/hook.h"
#include "stoa/pool.h"
#include "stoa/query.h"
#include "stoa/random.h"
#include "stoa/resource.h"
#include "stoa/status.h"
#include "stoa/system.h"
#include "stoa/type.h"
#include "stoa/typed.h"
#include "stoa/view.h"
#include "stoa/world.h"

#endif
