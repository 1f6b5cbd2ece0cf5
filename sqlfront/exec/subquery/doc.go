// Package subquery evaluates subqueries in expressions: for one outer row (subquery.go,
// tupleset.go), by a hash table of the rows for all outer rows (decorrelated.go), or over an index
// of the outer row's partners (partners.go, partnerruns.go, overpartners.go); sizes.go estimates
// the cost of keeping them.
//
// Results known before the first outer row replace a subquery (hashedin.go, known.go), and IN and
// EXISTS with many keys become joins (semijoin.go). asker.go is the interface by which operators
// request that.
package subquery
