// Package numeric registers MySQL's functions of numbers
// (https://dev.mysql.com/doc/refman/5.7/en/mathematical-functions.html), ROUND, TRUNCATE and FORMAT among them.
package numeric
