package filter

import "errors"

// The errors that callers test for with errors.Is.
var (
	// ErrInvalid is of a filter that says what cannot be: IllegalArgumentException in HBase.
	ErrInvalid = errors.New("invalid filter")
	// ErrUnknown is of a filter or a comparator that is not known by the name.
	ErrUnknown = errors.New("unknown filter")
	// ErrRegex is of a regular expression that Java has and that is not here.
	ErrRegex = errors.New("unsupported regular expression")
)
