package coltype

import (
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// CheckKey refuses a column that a key cannot have: 1170 for a TEXT or BLOB without a prefix length (prefix
// is then 0), and 3152 for JSON.
func (t Type) CheckKey(name string, prefix int) error {
	switch {
	case t.Base == JSON:
		return mysqlerr.New(mysqlerr.JSONUsedAsKey, "JSON column '%s' cannot be used in key specification.", name)
	case t.Base.IsLarge() && prefix == 0:
		return mysqlerr.New(mysqlerr.BlobKeyWithoutLength,
			"BLOB/TEXT column '%s' used in key specification without a key length", name)
	}
	return nil
}

// The limits of an index, in bytes.
const (
	maxKeyBytes = 3072
	maxKeyParts = 16
)

// KeyPart is a column in an index.
type KeyPart struct {
	Name string
	Type Type
	// Prefix is the number of characters, or bytes of BINARY, VARBINARY and BLOB, that are indexed; negative
	// if none was declared.
	Prefix int
}

// CheckIndex refuses what an index cannot have: 1070, 1071, 1089, 1170, 1391 and 3152. It returns the lengths
// of the prefixes, 0 for a whole column.
func CheckIndex(parts []KeyPart) (prefixes []int, err error) {
	if len(parts) > maxKeyParts {
		return nil, mysqlerr.New(mysqlerr.TooManyKeyParts, "Too many key parts specified; max %d parts allowed", maxKeyParts)
	}
	bytes := 0
	for _, p := range parts {
		prefix, size, err := p.check()
		if err != nil {
			return nil, err
		}
		prefixes = append(prefixes, prefix)
		bytes += size
	}
	if bytes > maxKeyBytes {
		return nil, mysqlerr.New(mysqlerr.TooLongKey,
			"Specified key was too long; max key length is %d bytes: an index over a prefix, as of (%s(100)), is shorter",
			maxKeyBytes, parts[0].Name)
	}
	return prefixes, nil
}

// check returns the length of a part's prefix, and the bytes that count for the index's length.
func (p *KeyPart) check() (prefix, bytes int, err error) {
	t := p.Type
	isString := t.Base.IsText() || t.Base.IsBytes()
	switch {
	case p.Prefix == 0:
		return 0, 0, mysqlerr.New(mysqlerr.KeyPartZeroLength, "Key part '%s' length cannot be 0", p.Name)
	case p.Prefix > 0 && (!isString || !t.Base.IsLarge() && p.Prefix > t.Length):
		return 0, 0, mysqlerr.New(mysqlerr.WrongSubKey, "Incorrect prefix key; the used key part isn't a string, the used "+
			"length is longer than the key part, or the storage engine doesn't support unique prefix keys")
	case p.Prefix < 0 || !t.Base.IsLarge() && p.Prefix == t.Length:
		bytes := t.storage()
		if isString {
			bytes = t.Octets()
		}
		return 0, bytes, t.CheckKey(p.Name, 0)
	}
	return p.Prefix, p.Prefix * t.charBytes(), t.CheckKey(p.Name, p.Prefix)
}

// maxRowSize is MySQL's limit for the bytes of a row, without those of TEXT, BLOB and JSON.
const maxRowSize = 65535

// CheckRow refuses columns that exceed MySQL's row size (1118).
func CheckRow(columns []Column) error {
	bytes, nullable := 0, 0
	for i := range columns {
		bytes += columns[i].Type.storage()
		if !columns[i].NotNull {
			nullable++
		}
	}
	if bytes+(nullable+7)/8 <= maxRowSize {
		return nil
	}
	return mysqlerr.New(mysqlerr.TooBigRowSize, "Row size too large. The maximum row size for the used table type, not "+
		"counting BLOBs, is %d. This includes storage overhead, check the manual. You have to change some columns to "+
		"TEXT or BLOBs", maxRowSize)
}

// storage is the number of bytes of a row that MySQL counts for a column
// (https://dev.mysql.com/doc/refman/5.7/en/storage-requirements.html).
func (t Type) storage() int {
	switch t.Base {
	case Bit:
		return (t.Length + 7) / 8
	case Decimal:
		return decimalBytes(t.Length-t.Decimals) + decimalBytes(t.Decimals)
	case Char, Binary:
		return t.Octets()
	case VarChar, VarBinary:
		return t.Octets() + lengthBytes(t.Octets())
	case Enum:
		return lengthBytes(len(t.Members))
	case Set:
		return setBytes(len(t.Members))
	case Time, DateTime, Timestamp:
		return plainBytes[t.Base] + (t.Decimals+1)/2
	}
	return plainBytes[t.Base]
}

// plainBytes are the sizes of types with a fixed one; for TEXT and BLOB, that of their reference.
var plainBytes = map[Base]int{TinyInt: 1, SmallInt: 2, MediumInt: 3, Int: 4, BigInt: 8, Float: 4, Double: 8, Date: 3,
	Time: 3, DateTime: 5, Timestamp: 4, Year: 1, TinyText: 9, Text: 10, MediumText: 11, LongText: 12, TinyBlob: 9,
	Blob: 10, MediumBlob: 11, LongBlob: 12, JSON: 12}

// decimalBytes is the number of bytes for digits on one side of the point: 4 for 9 digits.
func decimalBytes(digits int) int { return digits/9*4 + (digits%9+1)/2 }

// lengthBytes is the number of bytes of a length up to n.
func lengthBytes(n int) int {
	if n > 255 {
		return 2
	}
	return 1
}

func setBytes(members int) int {
	if n := (members + 7) / 8; n <= 4 {
		return n
	}
	return 8
}
