// Package sheet makes a table and a typed view of text that has a header: its lines are
// rows with a key, and their fields cells. Names come from the header, and types from all
// values, because the view is created after the last one.
package sheet
