// Package join joins rows: [Join] plans it (joining.go), and opens one of these (join.go): the
// right side in memory, or in files, by its keys (hashjoin.go, hashbuild.go, hashpairs.go); both
// sides in one order, as columns (uniquemerge.go, uniquemergepairs.go) or by steps and seeks
// (mergejoin.go, rowgroup.go, groupindex.go); the right side opened for each left row
// (nestedloop.go), which becomes another one where the left rows turn out to be many
// (adaptivejoin.go). semijoin.go is semi and anti joins, matchgroup.go those that have a condition
// beside the keys. [JoinOrder] is the order that costs the least (joinorder.go).
package join
