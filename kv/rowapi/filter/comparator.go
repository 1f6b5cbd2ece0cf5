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
	NoOp // leaves everything out
)

// Comparator compares stored bytes with its own.
type Comparator interface {
	// Compare is below, at or above 0 where the comparator's own value is below, like or above the
	// stored one.
	Compare(stored []byte) int
	// Operand is the comparator's own value as bytes.
	Operand() []byte
}

// BinaryComparator compares bytes in their order.
type BinaryComparator struct{ Value []byte }

// BinaryPrefixComparator compares with as many first bytes of what is stored as it has.
type BinaryPrefixComparator struct{ Value []byte }

// BinaryComponentComparator compares with as many bytes of what is stored, from an offset on.
type BinaryComponentComparator struct {
	Value  []byte
	Offset int
}

// BitOp is how a BitComparator joins bits.
type BitOp uint8

// The operators, in HBase's order.
const (
	BitAnd BitOp = iota
	BitOr
	BitXor
)

// BitComparator matches, as Equal, what has the same length and a bit left once both are joined.
type BitComparator struct {
	Value []byte
	Op    BitOp
}

// LongComparator compares with what is stored as a 64-bit integer, big endian.
type LongComparator struct{ Value int64 }

// NullComparator matches nothing that is stored.
type NullComparator struct{}

// SubstringComparator matches, as Equal, what has the text somewhere, without regard to case.
type SubstringComparator struct{ Text string }
