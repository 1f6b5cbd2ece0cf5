// Package relation says what stands in FROM: it turns table names into relations, and names
// of columns into theirs.
//
// A [Relation] has columns, whatever it is: a table of the store, the virtual table of a
// group, a catalog table, DUAL, or rows that a query gives. Of one whose rows are cells of the
// store it says where the keys are ([Relation.KeyColumns]) and how its rows are found
// ([Relation.Access]). A [Scope] has several of them side by side in a row.
package relation
