// Memory that home and all real processes share at the same address: operator new takes from it, so
// whatever a world is made of lies there, if it was made by new or a container.
#ifndef ATMOST_TESTS_WORLD_ARENA_H
#define ATMOST_TESTS_WORLD_ARENA_H

namespace world {

bool in_arena(const void* at);

}  // namespace world

#endif
