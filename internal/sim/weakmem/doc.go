// Package weakmem models the memory hierarchy of an AMD GPU as weakly as its
// documents allow: incoherent caches, and requests that reach memory late and in
// any order.
//
// A System has one or more agents with compute units (CUs). Each CU has a vector cache.
// Depending on the generation, the CUs of a shader array share a further cache, the CUs of an
// XCC or of an agent an L2 cache that may hold data that memory lacks. Groups of
// CUs share a scalar cache. A cache line has a mask of valid and one of dirty
// bytes. Rules lists the properties of each generation, and which caches a
// cache policy bypasses.
//
// A Request loads, stores or modifies bytes of one line. The requests of a CU
// enter its vector cache in the order of issue: a load that hits is complete, a
// store updates the line. Everything else is queued. The queued requests of a CU
// to one line are performed in order, others in any order: the lines are spread
// over channels with queues of their own. Performing a request accesses the
// further caches, and memory, at one moment.
//
// A System is deterministic: the seed and the sequence of calls determine its
// behavior. It evicts and fetches lines at random, as other waves of the CU or
// a prefetcher might, so that a missing invalidation is noticed. No request
// stays queued, and no unmodified line valid, for more than a bounded time.
//
// Sources: User Guide for AMDGPU Backend, "Memory Model" of gfx6 to gfx12.5.
package weakmem
