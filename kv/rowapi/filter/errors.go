package filter

import "errors"

// The errors that callers test for with errors.Is.
var (
	// ErrInvalid is the error for an impossible filter: IllegalArgumentException in HBase.
	ErrInvalid = errors.New("invalid filter")
	// ErrUnknown is the error for an unknown name of a filter or a comparator.
	ErrUnknown = errors.New("unknown filter")
	// ErrRegex is the error for a regular expression that Java supports, but not this package.
	ErrRegex = errors.New("unsupported regular expression")
)
