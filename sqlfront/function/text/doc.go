// Package text registers MySQL's functions of strings (https://dev.mysql.com/doc/refman/5.7/en/string-functions.html):
// what is cut out of them, put together and looked for, LIKE, character sets, weights and numbers as digits.
package text
