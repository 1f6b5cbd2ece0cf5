package filter

// CompareOp is an operator between two values, in the order of HBase's CompareOperator.
type CompareOp uint8

// The operators.
const (
	Less CompareOp = iota
	LessOrEqual
	Equal
	NotEqual
	GreaterOrEqual
	Greater
	NoOp // excludes everything
)

// Comparator compares stored bytes with its own.
type Comparator interface {
	// Compare returns a number below, equal to or above 0 if the comparator's own value is below,
	// equal to or above the stored one.
	Compare(stored []byte) int
	// Operand returns the comparator's own value as bytes.
	Operand() []byte
}

// BinaryComparator compares bytes lexicographically.
type BinaryComparator struct{ Value []byte }

// BinaryPrefixComparator compares with a prefix of the stored bytes of its own length.
type BinaryPrefixComparator struct{ Value []byte }

// BinaryComponentComparator compares with stored bytes of its own length, from an offset on.
type BinaryComponentComparator struct {
	Value  []byte
	Offset int
}

// BitOp says how a BitComparator combines bits.
type BitOp uint8

// The operators, in HBase's order.
const (
	BitAnd BitOp = iota
	BitOr
	BitXor
)

// BitComparator matches, as Equal, what has the same length and gives any 1 bit when both are combined.
type BitComparator struct {
	Value []byte
	Op    BitOp
}

// LongComparator compares with the stored bytes as a 64-bit integer, big endian.
type LongComparator struct{ Value int64 }

// NullComparator matches nothing that is stored.
type NullComparator struct{}

// SubstringComparator matches, as Equal, what contains the text, ignoring case.
type SubstringComparator struct{ Text string }
