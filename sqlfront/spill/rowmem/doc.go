// Package rowmem keeps rows and keys in memory, in few allocations that the collector passes over.
//
// The types that matter: [Arena] and [RowBuffer], copies of rows as slices of values; [Grid], rows
// of one width by their numbers; [Store], packed rows by their places, which a [Comparer] orders
// by [Keys]; [KeyTable], keys by the numbers in which they came, and [Unite], which finds the keys
// that several tables have; [Slab], room for things of any type.
//
// All of them copy what they are given, and own the copies. What they give refers to these, and is
// good until the next Reset.
package rowmem
