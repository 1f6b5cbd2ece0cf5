// Package setfunc is bound calls of SQL's set functions, which are over many rows: aggregates
// ([Aggregate]) and calls over windows ([WindowCall]). They are no expressions and have no value of
// their own: package aggregate gathers the one, package window the other, and a column stands for
// the result.
//
// Calls are immutable once they are bound and may be shared by any number of goroutines. Every
// error is a *mysql.MySQLError, or one that evaluating an argument gave.
package setfunc
