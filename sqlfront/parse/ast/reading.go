package ast

// Reading is how a literal is read, beyond what its token says.
type Reading uint8

// The readings.
const (
	ReadPlain    Reading = iota
	ReadNegative         // a number after a sign
	ReadDate             // the string of a date or time literal
	ReadTime
	ReadTimestamp
)
