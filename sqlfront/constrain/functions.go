package constrain

import (
	"bytes"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// callKey recognizes a call of a function for which the set of arguments with a given value is known,
// or is within a few known spans.
func (d *deriver) callKey(c *expr.Call) (key, bool) {
	switch c.Name {
	case "LEFT":
		return d.leftKey(c)
	case "SUBSTRING":
		return d.substringKey(c)
	case "LOWER", "UPPER":
		return d.letterKey(c)
	case "HEX":
		return d.hexKey(c)
	case "REVERSE":
		return d.reverseKey(c)
	case "UNSALT":
		return d.unsaltKey(c)
	case "SALT", "HASH_PREFIX":
		return d.spreadKey(c)
	case "ROWKEY", "CONCAT":
		return d.joinedKey(c)
	case "ROWKEY_PART", "SUBSTRING_INDEX":
		return d.partKey(c)
	}
	if n := keyNumbers[c.Name]; n != nil {
		return d.numberKey(c, n)
	}
	return key{}, false
}

// keyNumbers are the numbers that functions read from their only argument.
var keyNumbers = map[string]*number{
	"BYTES_TO_LONG":      &longBytes,
	"BYTES_TO_INT":       &intBytes,
	"BYTES_TO_SHORT":     &shortBytes,
	"BYTES_TO_BOOLEAN":   &booleanByte,
	"BYTES_TO_DOUBLE":    &doubleBytes,
	"BYTES_TO_FLOAT":     &floatBytes,
	"SORTABLE_TO_LONG":   &sortableBytes,
	"REVERSE_TS_TO_LONG": &reversedBytes,
}

// leftKey recognizes LEFT(x, n).
func (d *deriver) leftKey(c *expr.Call) (key, bool) {
	k, ok := d.stringKey(c.Args[0])
	if !ok {
		return key{}, false
	}
	return d.firstOf(k, c.Args[1])
}

// firstOf is the key for the first n bytes of a binary string, or characters of text.
func (d *deriver) firstOf(k key, n expr.Node) (key, bool) {
	length, ok := d.length(n)
	switch {
	case !ok:
		return key{}, false
	case k.text:
		return k.around(firstCharacters(length)), true
	}
	return k.around(firstBytes(length)), true
}

// substringKey recognizes a SUBSTRING from the first character on.
func (d *deriver) substringKey(c *expr.Call) (key, bool) {
	k, ok := d.stringKey(c.Args[0])
	if !ok {
		return key{}, false
	}
	if from, known := d.integer(c.Args[1]); !known || from != 1 {
		return key{}, false
	}
	if len(c.Args) == 2 {
		return k, true
	}
	return d.firstOf(k, c.Args[2])
}

// letterKey recognizes LOWER and UPPER of binary strings, which have no letters.
func (d *deriver) letterKey(c *expr.Call) (key, bool) { return d.bytesKey(c.Args[0]) }

func (d *deriver) hexKey(c *expr.Call) (key, bool) {
	k, ok := d.bytesKey(c.Args[0])
	if !ok {
		return key{}, false
	}
	k = k.around(hexDigits{})
	k.text, k.comparison = true, ownWeights
	return k, true
}

func (d *deriver) reverseKey(c *expr.Call) (key, bool) {
	k, ok := d.bytesKey(c.Args[0])
	return k.around(reversed{}), ok
}

func (d *deriver) unsaltKey(c *expr.Call) (key, bool) {
	k, ok := d.bytesKey(c.Args[0])
	return k.around(behindFirst{}), ok
}

// spreadKey recognizes SALT and HASH_PREFIX, which add a prefix to a string.
func (d *deriver) spreadKey(c *expr.Call) (key, bool) {
	k, ok := d.bytesKey(c.Args[0])
	if !ok {
		return key{}, false
	}
	empty, ok := d.constant(c.With([]expr.Node{&expr.Const{V: value.NewBytes(nil)}, c.Args[1]}))
	if !ok || empty.IsNull() {
		return key{}, false // an invalid number, which fails for each row
	}
	return k.around(behindFront(len(empty.Raw()))), true
}

// joinedKey recognizes a concatenation of one string with constants.
func (d *deriver) joinedKey(c *expr.Call) (key, bool) {
	args, separator := c.Args, []byte(nil)
	if c.Name == "ROWKEY" {
		v, ok := d.constant(args[0])
		if !ok || !v.IsString() {
			return key{}, false
		}
		args, separator = args[1:], v.Raw()
	}
	var k key
	var with framed
	part, found := &with.front, false
	for i, arg := range args {
		if i > 0 {
			*part = append(*part, separator...)
		}
		if inner, ok := d.bytesKey(arg); ok && !found {
			k, found, part = inner, true, &with.behind
		} else if v, ok := d.constant(arg); ok && v.IsString() {
			*part = append(*part, v.Raw()...)
		} else {
			return key{}, false
		}
	}
	return k.around(with), found
}

// partKey recognizes SUBSTRING_INDEX from the beginning, and the first part of ROWKEY_PART.
func (d *deriver) partKey(c *expr.Call) (key, bool) {
	k, ok := d.bytesKey(c.Args[0])
	separator, known := d.constant(c.Args[1])
	n, counted := d.integer(c.Args[2])
	if !ok || !known || !counted || n < 1 || n > 1 && c.Name == "ROWKEY_PART" || !separator.IsString() ||
		len(separator.Raw()) == 0 {
		return key{}, false
	}
	return k.around(firstParts(bytes.Clone(separator.Raw()))), true
}
