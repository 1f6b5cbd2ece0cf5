// Package subquery evaluates subqueries in expressions: for one row around (subquery.go, tupleset.go), by
// the rows for all rows around, kept by their keys (keyed.go), or over kept rows that are the partners of
// the row around (partners.go, partnerruns.go, askedpartners.go); sizes.go says what it costs to keep them.
//
// What of them is known before rows ask takes their place (member.go, known.go), and IN and EXISTS of many
// keys become joins (membership.go). asker.go is how operators, which know none of this, ask for that.
package subquery
