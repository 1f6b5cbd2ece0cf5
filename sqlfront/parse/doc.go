// Package parse reads MySQL-flavoured SQL text. [Parse] turns one statement into an [ast.Parsed]; [ParseText]
// does the same with a text that is already cut into tokens (package lex).
//
// Every error is a bare *mysql.MySQLError: 1064 with the position in the user's text, 1065 for no statement,
// 1235 for MySQL that this driver recognizes but does not support.
package parse
