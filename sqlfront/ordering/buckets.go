package ordering

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// Salted rows have their bucket's byte in front, so that the rows of one bucket
// are in the order of what is behind the byte.

// MergesBuckets is how many of the first keys a merge of scans of one bucket each can give
// rows in the order of. They may be evaluated before a row is given: they cost nothing, give
// no warning, and one of them is what stands behind the first byte.
func (o *Scan) MergesBuckets(keys []Key) (leading int) {
	behind := false
	for ; leading < len(keys); leading++ {
		n := keys[leading].Expr
		isBehind := o.isBehindFirst(n) || o.isPrefixBehindFirst(n)
		if !isBehind && !isPlain(n) && !o.isPrefix(n) {
			break
		}
		behind = behind || isBehind
	}
	if !behind {
		return 0
	}
	return leading
}

// isPlain reports whether the expression is a column or a constant.
func isPlain(n expr.Node) bool {
	switch n.(type) {
	case *expr.Column, *expr.Const:
		return true
	}
	return false
}

// Buckets cuts spans where the first byte of the row changes: the rows of each of the
// lists begin with one byte. It is nil where some rows may have no first byte, or where
// the spans are open.
func Buckets(ranges []kv.Range) (out [][]kv.Range) {
	before := -1 // the byte of the last bucket
	for _, r := range ranges {
		if r.Start.Depth == kv.DepthNone || len(r.Start.Row) == 0 {
			return nil
		}
		first, last := int(r.Start.Row[0]), lastByte(r.End)
		for b := first; b <= last; b++ {
			piece := r
			if b > first {
				piece.Start = beforeByte(b)
			}
			if b < last {
				piece.End = beforeByte(b + 1)
			}
			if b > before {
				out, before = append(out, nil), b
			}
			out[len(out)-1] = append(out[len(out)-1], piece)
		}
	}
	return out
}

// oneFirstByte reports whether all rows of the ranges begin with the same byte.
func oneFirstByte(ranges []kv.Range) bool {
	first, last := ranges[0].Start, ranges[len(ranges)-1].End
	return first.Depth != kv.DepthNone && len(first.Row) > 0 && int(first.Row[0]) == lastByte(last)
}

func beforeByte(b int) kv.Position {
	return kv.Position{Row: []byte{byte(b)}, Depth: kv.DepthRow}
}

// lastByte is the first byte of the last rows before the end of a range that
// holds rows with such bytes.
func lastByte(end kv.Position) int {
	if end.Depth == kv.DepthNone {
		return 255
	}
	b := int(end.Row[0])
	if len(end.Row) == 1 && end.Depth == kv.DepthRow && !end.After {
		b--
	}
	return b
}
