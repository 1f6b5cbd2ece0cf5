package main

func Example() {
	main()
	// Output:
	// the yard's newest: 8
	// the hall on 2026-03-03: 4 readings, 18.50 on average
	// the hall on 2026-03-04: 4 readings, 18.50 on average
	// the hall on 2026-03-05: 2 readings, 19.50 on average
	// the oldest that has not expired: 2026-02-03 12:00:00
	// partitions: february,march,april
}
