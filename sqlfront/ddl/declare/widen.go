package declare

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/coltype"
)

// widens reports whether a type has all values of another one, and reads them from its cells.
func widens(from, to coltype.Type) bool {
	switch a, b := from.Base, to.Base; {
	case a.IsInteger() && b.IsInteger():
		low, high := from.IntegerRange()
		least, most := to.IntegerRange()
		return least <= low && high <= most
	case a.IsText() && b.IsText() && isString(a) && isString(b):
		return (b != coltype.Char || a == coltype.Char) && holdsAll(from, to)
	case a.IsBytes() && b.IsBytes() && a != coltype.Binary && b != coltype.Binary:
		return holdsAll(from, to)
	case a != b:
		return a == coltype.Float && b == coltype.Double && !from.IsFixed() && !to.IsFixed()
	case a == coltype.Decimal:
		return to.Decimals >= from.Decimals && to.Length-to.Decimals >= from.Length-from.Decimals &&
			(from.Unsigned || !to.Unsigned)
	case a.IsTemporal() || a == coltype.Time:
		return to.Decimals >= from.Decimals
	}
	return sameType(from, to) || from.Base.HasMembers() && from.Collation == to.Collation && addsMembers(from, to)
}

// addsMembers reports whether a list of members starts with those of another one.
func addsMembers(from, to coltype.Type) bool {
	return len(to.Members) >= len(from.Members) && slices.Equal(from.Members, to.Members[:len(from.Members)])
}

// isString reports whether any text is a value of the type.
func isString(b coltype.Base) bool { return !b.HasMembers() && b != coltype.JSON }

// holdsAll reports whether one string type is at least as long as another.
func holdsAll(from, to coltype.Type) bool {
	if to.Base.IsLarge() {
		return to.Octets() >= from.Octets()
	}
	return !from.Base.IsLarge() && to.Length >= from.Length
}

// sameType compares types except for their character set, which makes no difference to UTF-8.
func sameType(a, b coltype.Type) bool {
	return a.Base == b.Base && a.Length == b.Length && a.Decimals == b.Decimals && a.Unsigned == b.Unsigned &&
		slices.Equal(a.Members, b.Members)
}

// keepsKey reports whether a column of the primary key keeps the same bytes in row keys.
func keepsKey(from, to coltype.Type) bool {
	if from.Collation != to.Collation {
		return false
	}
	from.Zerofill, to.Zerofill = false, false
	switch from.Base {
	case coltype.VarChar, coltype.VarBinary:
		return to.Base == from.Base
	case coltype.TinyInt, coltype.SmallInt, coltype.MediumInt, coltype.Int, coltype.BigInt:
		from.Length = to.Length // the display width
	}
	return sameType(from, to)
}
