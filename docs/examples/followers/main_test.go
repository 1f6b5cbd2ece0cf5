package main

func Example() {
	main()
	// Output:
	// ann follows: bob cem
	// cem is followed by: ann bob dee
	// ann may know: cem
	// the most followed: cem
	// -> Range scan of follows by its index followers
	//      index: followers
	//      spans: [/0x0163656D0000 - /0x0163656D0001)
	//      order: forward
	//      read: entries alone
}
