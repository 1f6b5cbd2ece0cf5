package lex

import (
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// secretWords are in every statement that may hold a password.
var secretWords = []string{"IDENTIFIED", "PASSWORD"}

// Shown is a statement as others than its sender may see it: where it may hold a
// password, it ends in front of that.
func Shown(text string) string {
	if i := secretFrom(text); i >= 0 {
		return text[:i] + "<secret>"
	}
	return text
}

// secretFrom is where in a text the first word ends behind which a password may
// stand, or -1.
func secretFrom(text string) int {
	for i := 0; i < len(text); i++ {
		if c := text[i] | 0x20; c != 'i' && c != 'p' {
			continue
		}
		for _, word := range secretWords {
			if len(text)-i >= len(word) && strings.EqualFold(text[i:i+len(word)], word) {
				return i + len(word)
			}
		}
	}
	return -1
}

// syntaxError is 1064, which quotes no password.
func syntaxError(sql string, offset int, expected string) *mysql.MySQLError {
	shown := len(sql)
	if i := secretFrom(sql); i >= 0 {
		shown = i
	}
	return mysqlerr.SyntaxIn(sql, shown, offset, expected)
}
