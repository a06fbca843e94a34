/* Transforms: 4 x 4 matrices, and the places of entities that are given relative to their parents.
 *
 * An entity has a LocalTransform, relative to its parent, and a WorldTransform, which is worked out
 * from it by stoa_propagate_transforms. Both are ordinary components. The mathematics is plain C
 * with no library behind it: equal arguments give equal bits on every machine with IEEE floats. */
#ifndef STOA_TRANSFORM_H
#define STOA_TRANSFORM_H

#include "stoa/hierarchy.h"
#include "stoa/pool.h"
#include "stoa/system.h"

/// A 4 x 4 matrix, column by column: m[4 * column + row].
/// It is applied to columns: the translation is m[12], m[13], m[14].
STOA_COMPONENT_WITH(Mat4, STOA_OPTIONS(0, {0, 0, 0, 0, 0}, 0, 0, 0), { float m[16]; });

/// Where an entity is, relative to its parent.
typedef struct LocalTransform {
    Mat4 matrix; ///< from the entity's own space to its parent's
} LocalTransform;

/// Where an entity is; written by stoa_propagate_transforms, which sets right what others write.
typedef struct WorldTransform {
    Mat4 matrix; ///< from the entity's own space to the world's
} WorldTransform;

/// As a component: 16 numbers, so that nobody has to register Mat4 first; ticks for each entity.
STOA_TYPE_WITH(LocalTransform, STOA_OPTIONS(0, {0, 0, 0, 0, 0}, STOA_ROW_TICKS | STOA_NOTED, 0, 0),
               { float matrix[16]; });
/// As a component: 16 numbers.
STOA_TYPE_WITH(WorldTransform, STOA_OPTIONS(0, {0, 0, 0, 0, 0}, STOA_NOTED, 0, 0),
               { float matrix[16]; });

STOA_BEGIN

/// The matrix that changes nothing.
Mat4 stoa_mat4_identity(void);

/// The product a * b: what applies b first, then a.
Mat4 stoa_mat4_multiply(Mat4 a, Mat4 b);

/// Moves by a distance along each axis.
Mat4 stoa_mat4_translation(float x, float y, float z);

/// Turns about an axis of any length by an angle in radians, counterclockwise seen from its tip.
/// With an axis of length 0, or an angle of 2^24 and more, it turns nothing.
Mat4 stoa_mat4_rotation(float x, float y, float z, float angle);

/// Turns by a quaternion of any length but 0; with that it turns nothing.
Mat4 stoa_mat4_rotation_quaternion(float x, float y, float z, float w);

/// Stretches along each axis.
Mat4 stoa_mat4_scale(float x, float y, float z);

/// Scales, then turns by a quaternion x, y, z, w, then moves.
Mat4 stoa_mat4_compose(const float translation[3], const float rotation[4], const float scale[3]);

/// Inverts a matrix; false, with `inverse` as it was, if it has no inverse that floats can hold.
bool stoa_mat4_inverse(Mat4 matrix, Mat4 *inverse);

/// Applies a matrix to a point; `result` may be `point`. The last row is left out of account.
void stoa_mat4_transform_point(Mat4 matrix, const float point[3], float result[3]);

/// Works out the WorldTransform of every entity whose place may have changed since the last call.
/// It is the parent's WorldTransform * the LocalTransform. An entity with both whose parent is
/// missing, or has not got both, starts a tree: its WorldTransform is its LocalTransform. O(changed
/// entities and all those below them, and chunks); O(all) if entities came, went or have other
/// parents. Refused while the world is iterated or in a hook. The world's tick advances.
stoa_status stoa_propagate_transforms(stoa_world *world);

/// stoa_propagate_transforms on the threads of a pool; NULL: on this one alone.
/// The result is the same bit by bit for any number of threads.
stoa_status stoa_propagate_transforms_with(stoa_world *world, stoa_pool *pool);

/// Adds the system "stoa.transforms", which propagates, to a stage such as STOA_POST_UPDATE.
/// It has the world to itself and uses all threads of the app. The id is 0 on error.
stoa_system stoa_transform_system_add(stoa_app *app, stoa_stage stage);

STOA_END

#endif
