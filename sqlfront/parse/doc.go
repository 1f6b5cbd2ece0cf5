// Package parse reads MySQL-flavoured SQL text. [Parse] turns one statement into an
// [ast.Parsed]; [ParseText] does so with a text that is cut into tokens already (package lex).
//
// Every error is a bare *mysql.MySQLError: 1064 with the position in the user's text, 1065 for
// no statement, 1235 for MySQL that this driver knows and does not run.
package parse
