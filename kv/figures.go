package kv

import "context"

// Figure is a number that a store counts or measures.
type Figure struct {
	// Name is what, in words joined by underscores. That of what only grows ends in
	// _total, and has its unit before that: seconds, bytes.
	Name string
	// Help is a sentence.
	Help string
	// Labels tell figures of one name apart, which all have the same ones. There are
	// a few hundred figures at most, whatever is in the store.
	Labels []FigureLabel
	Value  float64
}

// FigureLabel is a label of a Figure.
type FigureLabel struct{ Name, Value string }

// Measured is a Store that tells what it does. Counters begin with the store's
// opening. To ask costs milliseconds and reads no cells.
type Measured interface {
	Figures(ctx context.Context) ([]Figure, error)
}
