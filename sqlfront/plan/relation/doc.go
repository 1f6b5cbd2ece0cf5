// Package relation says what is in FROM: it turns table names into relations, and names of columns into their
// columns.
//
// A [Relation] has columns, whatever it is: a table of the store, the virtual table of a group, a catalog
// table, DUAL, or the rows of a query. If its rows are cells of the store, it says where the keys are
// ([Relation.KeyColumns]) and how the rows are found ([Relation.Access]). A [Scope] has several relations
// side by side in a row.
package relation
