// Package calendar computes with dates, times of day and time zones, in the years 0 to 9999 and with
// MySQL's zero months and days.
//
// The type that matters: [Fields], the parts of a date and time, which are counted in days and
// microseconds, and packed into a number that orders as they do. [LoadZone] finds zones by MySQL's
// names; its error is [ErrZone].
package calendar
