// Package regex registers MySQL's functions of regular expressions
// (https://dev.mysql.com/doc/refman/8.0/en/regexp.html), in the syntax of Go's package regexp.
package regex
