// Package cost knows what ways to join and to answer subqueries cost, in the time in which a
// store gives cells, and chooses among them: before a join begins ([Choose]), and while it runs,
// by the lookups that it has made ([Lookups]).
//
// It is given numbers, most of them a store's estimates ([kv.Estimate]), and reads nothing
// itself: package exec asks the store, and does what has been chosen.
package cost
