// Package fixed is exact decimal numbers of few digits: of 64 bits ([Decimal64]) and of 128 ([Decimal128]),
// each with a power of ten that its digits are to be multiplied with.
//
// Most DECIMALs have few digits, and integers are much cheaper than package decimal, which allocates several
// big.Ints for each operation. Results are those of package decimal, including their exponents. If a number
// has too many digits, an operation reports that, and package decimal must be used. Numbers are plain values
// and hold no memory.
package fixed

// Words is the number of groups of 9 digits that MySQL keeps of a DECIMAL inside an expression, before and
// after the point together.
const Words = 9

// DivIncrement is div_precision_increment: the number of digits that / adds to the scale of its left operand.
const DivIncrement = 4

// QuotientPlaces is the number of digits after the point of a quotient of numbers with these exponents.
func QuotientPlaces(x, y int32) int32 {
	fx, fy := max(0, int(-x)), max(0, int(-y))
	gx, gy := Nines(fx), Nines(fy)
	more := max(0, DivIncrement-(gx-fx)-(gy-fy))
	return int32(Nines(gx + gy + more))
}

// Nines rounds up to a multiple of 9, the digits in a word of MySQL's DECIMAL.
func Nines(digits int) int { return (digits + 8) / 9 * 9 }
