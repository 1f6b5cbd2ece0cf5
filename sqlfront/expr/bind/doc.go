// Package bind makes expressions of syntax trees: a [Binder] finds columns and functions, counts
// arguments, settles collations and character sets, makes numbers of hex literals where numbers are
// wanted, and folds what is constant.
//
// [Arguments] are the values for which a statement is planned. What binding uses of them is recorded as
// [Assumptions], under which a plan may be used for other values.
//
// A Binder belongs to one goroutine; the nodes that it makes are immutable. They refer to the bytes of the
// tree's literals. Every error is a *mysql.MySQLError, or the context's own.
package bind
