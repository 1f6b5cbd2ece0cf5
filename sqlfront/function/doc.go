// Package function is MySQL's functions over values: strings, numbers, times,
// JSON, regular expressions, hashes, row keys and what they ask of the session.
// It knows no expressions: [Lookup] finds a [Function], which an expression calls
// with the values of its arguments in an [Env].
//
// An Env belongs to one goroutine. A value that a function gives may refer to
// bytes of its arguments. Every error is a bare *mysql.MySQLError, or the
// context's own.
package function
