// Package query is a planned query: [Query], a whole statement, a subquery or a derived table, whose [Body]
// is a [Select] or a set operation. query.go opens a SELECT, selectorder.go chooses how its rows are sorted
// or made distinct, readall.go reads all rows of a query for callers that keep them, querystep.go describes
// it. [Derived] is one in FROM (derived.go), whose rows may be kept for the next time (keptderived.go).
package query
