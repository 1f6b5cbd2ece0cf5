package jsondoc

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// MySQL's functions about the storage of documents
// (https://dev.mysql.com/doc/refman/8.0/en/json-utility-functions.html).
func init() {
	function.Register(map[string]*function.Function{
		"JSON_STORAGE_SIZE": {Min: 1, Max: 1, Type: function.MaybeSmall, Eval: ofDocument(jsonStorageSize)},
		"JSON_STORAGE_FREE": {Min: 1, Max: 1, Type: function.MaybeSmall, Eval: ofDocument(jsonStorageFree)},
	})
}

// jsonStorageFree is 0, as in MySQL for a document that was not updated in place; here none is.
func jsonStorageFree(*function.Env, *Document) (value.Value, error) { return value.NewInt(0), nil }

// jsonStorageSize is the size in bytes of MySQL's binary form of a document
// (https://dev.mysql.com/doc/dev/mysql-server/latest/json__binary_8h.html); here documents are text.
func jsonStorageSize(env *function.Env, d *Document) (value.Value, error) {
	size, err := d.binarySize(env)
	return value.NewInt(int64(size) + typeByte), err
}

// The sizes of parts of that form: the offsets and sizes of an object or array are short unless the part
// takes more than shortForm bytes.
const (
	typeByte       = 1
	shortOffset    = 2
	longOffset     = 4
	keyLengthBytes = 2
	shortForm      = 1<<16 - 1
)

// binarySize is the size of what follows the type.
func (d *Document) binarySize(env *function.Env) (int, error) {
	if err := env.Step(partUnits); err != nil {
		return 0, err
	}
	switch d.kind {
	case jsonNull, jsonBool:
		return 1, nil
	case jsonNumber:
		return d.numberSize(), nil
	case jsonString:
		return len(d.text) + lengthBytes(len(d.text)), nil
	}
	return d.partsSize(env)
}

// partsSize is the size of an object or array: its number of parts and its size, for each member the position
// and length of its name, and for each part its type and either the part or its position.
func (d *Document) partsSize(env *function.Env) (int, error) {
	short, long := 2*shortOffset, 2*longOffset
	for _, key := range d.keys {
		short += shortOffset + keyLengthBytes + len(key)
		long += longOffset + keyLengthBytes + len(key)
	}
	for _, part := range d.values {
		n, err := part.binarySize(env)
		if err != nil {
			return 0, err
		}
		short += typeByte + shortOffset + part.outside(n, shortOffset)
		long += typeByte + longOffset + part.outside(n, longOffset)
	}
	if short > shortForm {
		return long, nil
	}
	return short, nil
}

// outside is the number of a part's n bytes that are not stored instead of its offset.
func (d *Document) outside(n, offset int) int {
	if d.kind <= jsonNumber && n <= offset {
		return 0
	}
	return n
}

// numberSize is 2, 4 or 8 bytes for an integer, 8 for a double.
func (d *Document) numberSize() int {
	n, negative, whole := value.ParseInteger([]byte(d.text))
	if !whole {
		return 8
	}
	i := int64(n)
	fits := func(bits int) bool {
		return negative && i >= -1<<(bits-1) || !negative && n < 1<<bits
	}
	switch {
	case fits(16):
		return 2
	case fits(32):
		return 4
	}
	return 8
}

// lengthBytes is the number of bytes of a string's length, of which each has seven bits.
func lengthBytes(n int) int {
	bytes := 1
	for n >>= 7; n > 0; n >>= 7 {
		bytes++
	}
	return bytes
}
