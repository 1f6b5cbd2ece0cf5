package value

// decimalWords are the groups of 9 digits that MySQL keeps of a DECIMAL inside
// an expression, in front of and behind the point together.
const decimalWords = 9

// scaleOf is the digits behind the point of a DECIMAL or of the seconds of a time; 0 of other
// values.
func scaleOf(v Value) int {
	if v.kind == Decimal || v.kind.IsTemporal() {
		return int(v.aux)
	}
	return 0
}

// quotientPlaces are the digits behind the point of a quotient of numbers with such
// exponents.
func quotientPlaces(x, y int32) int32 {
	fx, fy := max(0, int(-x)), max(0, int(-y))
	gx, gy := nines(fx), nines(fy)
	more := max(0, DivIncrement-(gx-fx)-(gy-fy))
	return int32(nines(gx + gy + more))
}

// DivIncrement is div_precision_increment: the digits that / adds to the scale
// of its left operand.
const DivIncrement = 4

// nines rounds up to a multiple of 9, the digits in a word of MySQL's DECIMAL.
func nines(digits int) int { return (digits + 8) / 9 * 9 }
