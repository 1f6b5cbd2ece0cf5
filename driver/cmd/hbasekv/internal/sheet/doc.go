// Package sheet makes a table and a typed view of text that has a header: its lines are
// rows with a key, and their fields cells. Names come from the header, and types from all
// values, since the view is made behind the last one.
package sheet
