package main

// Example runs the program; the examples are tests of their output.
func Example() {
	main()
	// Output: [0 120 240 360] 1800
}
