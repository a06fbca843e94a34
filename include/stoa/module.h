/* Modules: shared libraries that bring components and systems, and can be replaced while the world
 * lives.
 *
 * A module has one entry point, made by STOA_MODULE, which names what the module brings. The host
 * loads a private copy of the file, so that the compiler can write the original, and puts the parts
 * into its app. Reloading keeps all data, carries components over whose layout changed, and puts
 * the new systems in the places of the old. If anything fails all stays as it was. */
#ifndef STOA_MODULE_H
#define STOA_MODULE_H

#include "stoa/app.h"
#include "stoa/event.h"
#include "stoa/hook.h"
#include "stoa/schema.h"

STOA_BEGIN

/// The version of the agreement between host and module; another one is refused.
#define STOA_MODULE_ABI 1u

/// A number made of the sizes of what host and module share; another one is refused.
/// It tells debug and release builds of the headers apart, too.
#define STOA_MODULE_LAYOUT                                                                         \
    STOA_MODULE_MIX(STOA_MODULE_MIX(STOA_MODULE_MIX(sizeof(stoa_world_head), sizeof(stoa_type)),   \
                                    STOA_MODULE_MIX(sizeof(stoa_system_desc), sizeof(stoa_iter))), \
                    STOA_MODULE_MIX(STOA_MODULE_MIX(sizeof(stoa_job), sizeof(stoa_observer_desc)), \
                                    STOA_MODULE_MIX(STOA_STATUS_COUNT, STOA_MODULE_DEBUG)))
/// Part of STOA_MODULE_LAYOUT.
#define STOA_MODULE_MIX(a, b) ((uint32_t)(a)*0x9E3779B1u + (uint32_t)(b))
#ifdef STOA_DEBUG
/// Part of STOA_MODULE_LAYOUT: how the headers were compiled.
#define STOA_MODULE_DEBUG 1
#else
/// Part of STOA_MODULE_LAYOUT: how the headers were compiled.
#define STOA_MODULE_DEBUG 0
#endif

/// A module of an app, for the host and for its own load function.
typedef struct stoa_module stoa_module;

/// What the entry point of a module tells; made by STOA_MODULE.
typedef struct stoa_module_entry {
    uint32_t abi;     ///< STOA_MODULE_ABI
    uint32_t layout;  ///< STOA_MODULE_LAYOUT
    const char *name; ///< of the module, unique in its app; the same after every reload
    /// Names all that the module brings, by the stoa_module_ functions below; must not change the
    /// app itself. Anything but STOA_OK and nothing of it is taken.
    stoa_status (*load)(stoa_module *module);
    /// Builds the scene, once the parts are in the app; may be NULL.
    stoa_status (*scene)(stoa_app *app);
    /// Frees what the library keeps outside of the app, right before it goes; may be NULL.
    /// On a reload this is called for the old version, after the new one took over.
    void (*unload)(stoa_app *app);
} stoa_module_entry;

/// The one function that a module exports.
typedef const stoa_module_entry *(*stoa_module_fn)(void);

/// Its name.
#define STOA_MODULE_SYMBOL "stoa_module_main"

/// What becomes of the scene when a module is reloaded.
typedef enum stoa_scene_rule {
    STOA_SCENE_KEEP, ///< the world goes on as it is
    STOA_SCENE_ANEW, ///< every entity of the world is destroyed, every module builds its scene
                     ///< again
    STOA_SCENE_NEVER ///< the module's scene is not built at all, such as for a world that is loaded
} stoa_scene_rule;

/// How to load a module; zero is the default of each member.
typedef struct stoa_module_desc {
    stoa_scene_rule scene; ///< what becomes of the scene
    const char *folder;    ///< for the private copy, which stays there while it is in use, for
                           ///< debuggers; NULL: the system's, and its name is gone at once. Copied
    stoa_loss loss;        ///< what to do with values that a new layout cannot hold
    stoa_notice_fn notice; ///< told how layouts differ, when a module is reloaded; may be NULL
    void *user;            ///< handed to `notice`
} stoa_module_desc;

/// Loads a module, puts its parts into the app and builds its scene; NULL on error.
/// The module belongs to the app and goes with it. Refused while the app steps. `desc` may be NULL.
stoa_module *stoa_module_load(stoa_app *app, const char *path, const stoa_module_desc *desc);

/// Replaces a module by what its file holds now; refused while the app steps.
/// On an error all is as it was, and the old version goes on; see stoa_module_error.
stoa_status stoa_module_reload(stoa_module *module);

/// Reloads a module if its file changed, and was found the same by two calls since.
/// So that a file is not read while it is being written. `*reloaded` may be NULL. A file that
/// fails is tried again once it has changed again.
stoa_status stoa_module_poll(stoa_module *module, bool *reloaded);

/// stoa_module_poll for all modules of an app; to be called between frames.
/// `*reloaded` tells how many were and may be NULL. The status is that of the first that failed.
stoa_status stoa_modules_poll(stoa_app *app, int32_t *reloaded);

/// Takes a module and its systems, hooks, observers and listeners away; NULL is fine.
/// Its components and their plain data stay. Values that own memory go: their code does.
stoa_status stoa_module_unload(stoa_module *module);

/// Destroys every entity of the world and has the modules build their scenes, in order of loading.
/// If one fails the rest is not built. Resources stay.
stoa_status stoa_modules_scene(stoa_app *app);

/// The module after `module` in order of loading, the first for NULL; NULL at the end.
stoa_module *stoa_module_next(const stoa_app *app, const stoa_module *module);

/// The module of that name; NULL, with no error, if there is none.
stoa_module *stoa_module_find(const stoa_app *app, const char *name);

/// The name of a module.
const char *stoa_module_name(const stoa_module *module);

/// The file of a module, as given to stoa_module_load.
const char *stoa_module_path(const stoa_module *module);

/// How often the module was loaded: 1, and one more for each reload that succeeded.
uint32_t stoa_module_version(const stoa_module *module);

/// Why the last reload failed; "" if it did not.
const char *stoa_module_error(const stoa_module *module);

/// The app of a module.
stoa_app *stoa_module_app(const stoa_module *module);

/// Names a component type of the module; see stoa_module_component.
/// Types that systems, hooks and others of the module go by need not be named.
stoa_status stoa_module_type(stoa_module *module, stoa_type *type);

/// Names a system. Like all descriptions it is copied; what it points to is the library's.
stoa_status stoa_module_system_desc(stoa_module *module, const stoa_system_desc *desc);

/// Names a system that STOA_SYSTEM described; see stoa_module_system.
/// It is described when it is put in, once the queries of the module are made.
stoa_status stoa_module_system_describe(stoa_module *module, stoa_system_describe_fn describe,
                                        void *user);

/// Names a stage, whose number is put into `*stage` before systems are described.
/// One of that name that is there stays as it is, and so does this one when the module is gone.
/// `stage` may be NULL.
stoa_status stoa_module_stage(stoa_module *module, const stoa_stage_desc *desc, stoa_stage *stage);

/// Names a query, which is put into `*query` before systems are described; freed with the module.
stoa_status stoa_module_query(stoa_module *module, const stoa_query_desc *desc, stoa_query **query);

/// Names a hook.
stoa_status stoa_module_hook(stoa_module *module, const stoa_hook_desc *desc);

/// Names an observer.
stoa_status stoa_module_observer(stoa_module *module, const stoa_observer_desc *desc);

/// Names a veto.
stoa_status stoa_module_veto(stoa_module *module, const stoa_veto_desc *desc);

/// Names a listener.
stoa_status stoa_module_listener(stoa_module *module, const stoa_listener_desc *desc);

/// Names a resource and the value it gets unless it is there; see stoa_module_resource.
/// It stays when the module goes, but for one that owns memory.
stoa_status stoa_module_resource_type(stoa_module *module, stoa_type *type, const void *value);

STOA_END

/// Names a component type of the module: `stoa_module_component(module, Position);`
#define stoa_module_component(module, T) stoa_module_type((module), STOA_TYPE_OF(T))

/// Names a system that STOA_SYSTEM described; `user` is handed to its function.
#define stoa_module_system(module, function, user)                                                 \
    stoa_module_system_describe((module), function##_stoa_system, (user))

#if defined(_WIN32)
/// Makes the entry point visible to the host.
#define STOA_MODULE_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
/// Makes the entry point visible to the host.
#define STOA_MODULE_EXPORT __attribute__((visibility("default")))
#else
/// Makes the entry point visible to the host.
#define STOA_MODULE_EXPORT
#endif

#ifndef __cplusplus

/// Names a resource and the value it gets unless it is there. C only.
#define stoa_module_resource(module, T, ...)                                                       \
    stoa_module_resource_type((module), STOA_TYPE_OF(T), &(T)__VA_ARGS__)

/// Makes the entry point and opens the load function, which sees `stoa_module *module`. C only.
/// `STOA_MODULE("pond", .scene = build) { stoa_module_system(module, swim, NULL); return STOA_OK;
/// }`
#define STOA_MODULE(...) STOA_MODULE_AS(__VA_ARGS__, .abi = STOA_MODULE_ABI)

/// STOA_MODULE once there is something behind the name; not for direct use.
#define STOA_MODULE_AS(title, ...)                                                                 \
    static stoa_status stoa_module_parts(stoa_module *module);                                     \
    STOA_MODULE_EXPORT const stoa_module_entry *stoa_module_main(void);                            \
    const stoa_module_entry *stoa_module_main(void) {                                              \
        static const stoa_module_entry entry = {.layout = STOA_MODULE_LAYOUT,                      \
                                                .name = (title),                                   \
                                                .load = stoa_module_parts,                         \
                                                __VA_ARGS__};                                      \
        return &entry;                                                                             \
    }                                                                                              \
    static stoa_status stoa_module_parts(stoa_module *module)

#endif

#endif
