package constrain

import "slices"

// uniteBoxes is the rows of any of the boxes. It takes the slice over.
func uniteBoxes(boxes []box) box {
	exact := true
	kept := boxes[:0]
	for _, b := range boxes {
		if b.exact && b.unrestricted() {
			return b
		}
		if !b.empty() {
			exact = exact && b.exact
			kept = append(kept, b)
		}
	}
	switch len(kept) {
	case 0:
		return nothing()
	case 1:
		return kept[0]
	}
	out := uniteKept(kept)
	out.exact = out.exact && exact
	return out
}

// uniteKept unites two or more boxes that are not empty; its box is exact where
// uniting them lost nothing.
func uniteKept(boxes []box) box {
	d := differ(boxes)
	if d.count() > 1 {
		boxes = apart(boxes)
		d = differ(boxes)
	}
	if d.count() > 1 && !d.families {
		if flat, ok := flattenAll(boxes, d); ok {
			boxes, d = flat, differ(flat)
		}
	}
	out := boxes[0]
	if d.spans {
		out.spans = uniteBy(boxes, func(b *box) set[place] { return b.spans })
	}
	if d.quals {
		out.quals = uniteBy(boxes, func(b *box) set[text] { return b.quals })
	}
	if d.times {
		out.times = uniteBy(boxes, func(b *box) set[moment] { return b.times })
	}
	if d.families {
		out.families = uniteFamilies(boxes)
	}
	out.exact = d.count() <= 1
	return out
}

// apart takes together the boxes that are key spans alone, and takes their
// spans out of the others, which leaves fewer of those to write as spans.
func apart(boxes []box) []box {
	var whole []set[place]
	var rest []box
	for _, b := range boxes {
		if b.quals.all() && b.times.all() && b.families == nil {
			whole = append(whole, b.spans)
		} else {
			rest = append(rest, b)
		}
	}
	if whole == nil {
		return boxes
	}
	out := []box{{spans: unite(whole...), exact: true}}
	others := out[0].spans.complement()
	for _, b := range rest {
		if b = b.intersect(box{spans: others, exact: true}); !b.empty() {
			out = append(out, b)
		}
	}
	return out
}

func uniteBy[C cut[C]](boxes []box, dimension func(*box) set[C]) set[C] {
	sets := make([]set[C], len(boxes))
	for i := range boxes {
		sets[i] = dimension(&boxes[i])
	}
	return unite(sets...)
}

func uniteFamilies(boxes []box) []bool {
	out := boxes[0].families
	for _, b := range boxes[1:] {
		if out == nil || b.families == nil {
			return nil
		}
		out = combineFamilies(out, b.families, func(x, y bool) bool { return x || y })
	}
	return out
}

// differences says in which dimensions boxes are not all alike.
type differences struct{ spans, quals, times, families bool }

func differ(boxes []box) differences {
	var d differences
	first := &boxes[0]
	for i := range boxes[1:] {
		b := &boxes[i+1]
		d.spans = d.spans || !b.spans.equal(first.spans)
		d.quals = d.quals || !b.quals.equal(first.quals)
		d.times = d.times || !b.times.equal(first.times)
		d.families = d.families || (b.families == nil) != (first.families == nil) || !slices.Equal(b.families, first.families)
	}
	return d
}

func (d differences) count() int {
	n := 0
	for _, differs := range []bool{d.spans, d.quals, d.times, d.families} {
		if differs {
			n++
		}
	}
	return n
}
