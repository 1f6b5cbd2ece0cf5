// Package expr is bound expressions: what a sqlparser tree becomes once its
// names are columns of a row, and how it is evaluated.
//
// The types that matter: [Node], an expression; [Env], what it is evaluated
// in; [Binder], which makes nodes of syntax trees; [Aggregate], a function over
// many rows. [Holds] asks a condition about a row without making values.
//
// Nodes are immutable after Bind and may be shared by any number of goroutines;
// an Env belongs to one. A value that Eval returns may refer to bytes of the
// Row, of the Params or of the node, and lives as long as they do: callers that
// keep it past the row clone it.
//
// Every error is a bare *mysql.MySQLError, or the context's own.
package expr
