// Package function is the table of MySQL's functions over values, and what they have in common: the [Env]
// that they are evaluated in, the [Session] that they ask, conversions with MySQL's warnings, and their
// types. It does not know expressions: [Lookup] finds a [Function], which an expression calls with the values
// of its arguments. The functions are registered ([Register]) by the packages below, by subject, which
// package expr imports; those of the session are here.
//
// An Env belongs to one goroutine. A value that a function returns may refer to bytes of its arguments. Every
// error is a bare *mysql.MySQLError, or the context's own.
package function
