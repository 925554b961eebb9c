// Package house holds the rules of the repository as tests: the permitted
// imports of each package, up-to-date generated files, the form of every file,
// and its English.
package house
