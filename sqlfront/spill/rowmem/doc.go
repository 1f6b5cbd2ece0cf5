// Package rowmem keeps rows and keys in memory, in few allocations without pointers, which the garbage
// collector does not scan.
//
// The main types: [Arena], copies of rows as slices of values; [Grid], rows of one width by their
// numbers; [Store], packed rows by their places, which a [Comparer] compares by [Keys]; [KeyTable],
// keys numbered in the order of arrival, and [Unite], which finds the keys that several tables share;
// [Slab], allocation of items of any type.
//
// All of them copy and own what is added. Their results refer to the copies, and are valid until the
// next Reset.
package rowmem
