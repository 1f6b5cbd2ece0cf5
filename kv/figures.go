package kv

import "context"

// Figure is a number that a store counts or measures.
type Figure struct {
	// Name is words joined by underscores. A figure that only grows has a name that
	// ends in _total, with the unit before that: seconds, bytes.
	Name string
	// Help is a sentence.
	Help string
	// Labels distinguish figures with the same name, which all have the same labels.
	// There are at most a few hundred figures, whatever is in the store.
	Labels []FigureLabel
	Value  float64
}

// FigureLabel is a label of a Figure.
type FigureLabel struct{ Name, Value string }

// Measured is a Store that reports figures. Counters start when the store is opened.
// A call takes milliseconds and reads no cells.
type Measured interface {
	Figures(ctx context.Context) ([]Figure, error)
}
