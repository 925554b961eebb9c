package main

// Example runs the program; the examples are tests of their output.
func Example() {
	main()
	// Output: 2*x + y = [1 3 5 7 9] … [1997 1999]
}
