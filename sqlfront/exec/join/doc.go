// Package join joins rows: [Join] plans it (joining.go), and opens one of these (join.go): the right side in
// memory, or in files, by its keys (keptjoin.go, keptright.go, keptpairs.go); both sides in one order, as
// columns (rowjoin.go, rowpairs.go) or by steps and seeks (mergejoin.go, rowgroup.go, groupindex.go); the
// right side opened for each left row (nestedloop.go), which becomes another one where the left rows turn
// out to be many (adaptivejoin.go). semijoin.go gives the rows that have a partner, or none, of which
// partnergroup.go asks more than their keys. [JoinOrder] is the order that costs the least (joinorder.go).
package join
