// Package bvh tests rays against the nodes of bounding volume hierarchies as
// the ray tracing instructions do: it decodes resources and nodes, intersects
// boxes, triangles and instances, and runs the traversal stack in LDS. All
// functions are pure; callers read the nodes from memory.
//
// Boxes are tested in single precision with one rounding for each operation.
// Triangles are tested in double precision by triple products whose sign does
// not depend on the triangle, so that no ray passes between triangles with a
// common edge.
//
// Sources: AMD's ISA documents of RDNA 2 to RDNA 4, "Ray tracing" and "DS stack
// operations"; GPURT, the emulation of the instructions in its shaders; Mesa,
// src/amd/vulkan/bvh.
package bvh
