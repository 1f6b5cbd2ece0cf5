// Package cost estimates the cost of ways to join and to answer subqueries, in cells that a store
// could return in the same time, and chooses among them: before a join begins ([Choose]), and while
// it runs, by the lookups made so far ([Lookups]).
//
// It only computes, mostly with a store's estimates ([kv.Estimate]): package exec asks the store,
// and does what was chosen.
package cost
