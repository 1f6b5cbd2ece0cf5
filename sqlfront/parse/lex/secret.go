package lex

import (
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// secretWords are the words that precede a password in any statement that may hold one.
var secretWords = []string{"IDENTIFIED", "PASSWORD"}

// Shown is a statement as users other than its sender may see it: cut off before a possible password.
func Shown(text string) string {
	if i := secretFrom(text); i >= 0 {
		return text[:i] + "<secret>"
	}
	return text
}

// secretFrom is the end of the first word after which a password may follow, or -1.
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
