//go:build amd64 && !race

package sim

// plainStores reports whether plain stores of aligned words are atomic for
// other observers, and whether words may be read and written at any address.
const plainStores = true
