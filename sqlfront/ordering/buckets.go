package ordering

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// In salted rows, the bucket's byte comes first: the rows of one bucket are in the order of the
// bytes after it.

// MergesBuckets counts the leading keys in whose order a merge of scans, one for each bucket, gives
// rows. They may be evaluated before a row is given, because they are cheap and give no warning. At
// least one of them is what follows the first byte.
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

// Buckets splits spans where the first byte of the row changes: all rows of one list begin with the
// same byte. It is nil if some rows may have no first byte, or if the spans are open.
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

// lastByte is the greatest first byte of the rows before the end of a range.
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
