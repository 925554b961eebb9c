// Package passtest runs passes in tests: on fixtures, random functions and
// kernels of the corpus, with checks after each pass. Most functions take the
// list of passes from which a pipeline is parsed.
package passtest
