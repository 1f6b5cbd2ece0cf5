package coltype

import "slices"

// Widens reports whether a type has all values of another one, and reads them from its cells.
func Widens(from, to Type) bool {
	switch a, b := from.Base, to.Base; {
	case a.IsInteger() && b.IsInteger():
		low, high := from.IntegerRange()
		least, most := to.IntegerRange()
		return least <= low && high <= most
	case a.IsText() && b.IsText() && isString(a) && isString(b):
		return (b != Char || a == Char) && holdsAll(from, to)
	case a.IsBytes() && b.IsBytes() && a != Binary && b != Binary:
		return holdsAll(from, to)
	case a != b:
		return a == Float && b == Double && !from.IsFixed() && !to.IsFixed()
	case a == Decimal:
		return to.Decimals >= from.Decimals && to.Length-to.Decimals >= from.Length-from.Decimals &&
			(from.Unsigned || !to.Unsigned)
	case a.IsTemporal() || a == Time:
		return to.Decimals >= from.Decimals
	}
	return SameType(from, to) || from.Base.HasMembers() && from.Collation == to.Collation && addsMembers(from, to)
}

// addsMembers reports whether a list of members starts with those of another one.
func addsMembers(from, to Type) bool {
	return len(to.Members) >= len(from.Members) && slices.Equal(from.Members, to.Members[:len(from.Members)])
}

// isString reports whether any text is a value of the type.
func isString(b Base) bool { return !b.HasMembers() && b != JSON }

// holdsAll reports whether one string type is at least as long as another.
func holdsAll(from, to Type) bool {
	if to.Base.IsLarge() {
		return to.Octets() >= from.Octets()
	}
	return !from.Base.IsLarge() && to.Length >= from.Length
}

// SameType compares types except for their character set, which makes no difference to UTF-8.
func SameType(a, b Type) bool {
	return a.Base == b.Base && a.Length == b.Length && a.Decimals == b.Decimals && a.Unsigned == b.Unsigned &&
		slices.Equal(a.Members, b.Members)
}

// KeepsKey reports whether a column of the primary key keeps the same bytes in row keys.
func KeepsKey(from, to Type) bool {
	if from.Collation != to.Collation {
		return false
	}
	from.Zerofill, to.Zerofill = false, false
	switch from.Base {
	case VarChar, VarBinary:
		return to.Base == from.Base
	case TinyInt, SmallInt, MediumInt, Int, BigInt:
		from.Length = to.Length // the display width
	}
	return SameType(from, to)
}
