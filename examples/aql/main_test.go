package main

// Example runs the program and checks its output.
func Example() {
	main()
	// Output: 2*x + y = [1 3 5 7 9] … [1997 1999]
}
