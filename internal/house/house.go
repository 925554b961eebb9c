// Package house holds the rules of the repository as tests: which package may
// import which, that generated files are up to date, and what every file must
// and must not be like.
package house
