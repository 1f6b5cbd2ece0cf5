// Package join joins two sides by hash joins, merge joins or nested loops. [Join] plans it (joining.go),
// and opens one of these (join.go): a hash join, with the right side by its keys in memory or in files
// (hashjoin.go, hashbuild.go, hashpairs.go); a merge join of both sides in one order, as columns
// (uniquemerge.go, uniquemergepairs.go) or by steps and seeks (mergejoin.go, rowgroup.go,
// groupindex.go); a nested loop, which opens the right side for each left row (nestedloop.go) and is
// replaced by another join if there are many left rows (adaptivejoin.go). semijoin.go has semi and anti
// joins, matchgroup.go those with a condition besides the keys. [JoinOrder] finds the order that costs
// the least (joinorder.go).
package join
