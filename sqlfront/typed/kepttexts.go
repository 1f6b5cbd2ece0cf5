package typed

import (
	"encoding/binary"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/rowcodec"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// keptText is a part of an index whose texts are in the values of entries: each is its length plus 1 as a
// varint, or 0 for NULL, followed by the text, one part after the other.
type keptText struct {
	part, column int
	rowcodec.Cell
}

// keepTexts finds the parts that are kept.
func (k *IndexKey) keepTexts() error {
	for i, p := range k.index.Parts {
		if !k.index.Texts || !k.Whole(i) || k.face.key.Recovered(i) {
			continue
		}
		c := &k.face.Columns[i]
		cell, err := rowcodec.NewCell(c.Name, c.Type, rowcodec.Plain)
		if err != nil {
			return err
		}
		k.kept = append(k.kept, keptText{i, p.Column, cell})
	}
	return nil
}

// Keeps reports whether ReadKept sets a part, not Read.
func (k *IndexKey) Keeps(part int) bool {
	return slices.ContainsFunc(k.kept, func(t keptText) bool { return t.part == part })
}

// appendKept is the value of the entry's cell for a row with these values of all columns of the table.
func (k *IndexKey) appendKept(values []value.Value) (out []byte) {
	for i := range k.kept {
		v := values[k.kept[i].column]
		if v.IsNull() {
			out = append(out, 0)
			continue
		}
		b := v.Raw()
		out = append(binary.AppendUvarint(slices.Grow(out, len(b)+binary.MaxVarintLen16), uint64(len(b))+1), b...)
	}
	return out
}

// ReadKept sets the parts whose texts are in the value of an entry; they refer to its bytes. It is false if
// the bytes are not those of an entry.
func (k *IndexKey) ReadKept(b []byte, tuple []value.Value) bool {
	for i := range k.kept {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size)+1 {
			return false
		}
		b = b[size:]
		var v value.Value
		if n > 0 {
			var ok bool
			if v, ok = k.kept[i].Read(b[: n-1 : n-1]); !ok {
				return false
			}
			b = b[n-1:]
		}
		tuple[k.kept[i].part] = v
	}
	return len(b) == 0
}
