package ast

// Reading is how a literal is read, beside what it says by itself.
type Reading uint8

// The readings.
const (
	ReadPlain    Reading = iota
	ReadNegative         // a number behind a sign
	ReadDate             // the string of a date or time literal
	ReadTime
	ReadTimestamp
)
