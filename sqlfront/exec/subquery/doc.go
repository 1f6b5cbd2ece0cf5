// Package subquery evaluates subqueries in expressions: for one outer row (subquery.go,
// tupleset.go), by a hash table of the rows for all outer rows (decorrelated.go), or over an index
// of the outer row's partners (partners.go, partnerruns.go, overpartners.go); sizes.go says what it
// costs to keep them.
//
// What is known before the first outer row takes a subquery's place (hashedin.go, known.go), and IN
// and EXISTS of many keys become joins (semijoin.go). asker.go is the interface by which operators
// ask for that.
package subquery
