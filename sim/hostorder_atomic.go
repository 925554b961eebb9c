//go:build !amd64 || race

package sim

// plainStores tells that plain stores of aligned words are seen by others as atomic ones are,
// and that words may be read and written at any address.
const plainStores = false
