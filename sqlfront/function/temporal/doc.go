// Package temporal registers MySQL's functions of dates and times
// (https://dev.mysql.com/doc/refman/5.7/en/date-and-time-functions.html) and adds intervals.
package temporal
