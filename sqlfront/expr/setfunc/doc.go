// Package setfunc is bound calls of SQL's set functions, which are over many rows: aggregates ([Aggregate])
// and calls over windows ([WindowCall]). They are not expressions and have no value of their own: packages
// aggregate and window compute them, and a column stands for the result.
//
// Calls are immutable once they are bound and may be shared by any number of goroutines. Every error is a
// *mysql.MySQLError, or that of evaluating an argument.
package setfunc
