package filter

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

type prefixEvaluator struct {
	hinter
	prefix                []byte
	reversed              bool
	out, ahead, passedAll bool
}

// Open implements Filter.
func (f PrefixFilter) Open(reversed bool) (Evaluator, error) {
	return &prefixEvaluator{prefix: f.Prefix, reversed: reversed, out: true}, nil
}

func (e *prefixEvaluator) Reset()                   { e.out = true }
func (e *prefixEvaluator) FilterAllRemaining() bool { return e.passedAll }
func (e *prefixEvaluator) FilterRow() bool          { return e.out }

func (e *prefixEvaluator) FilterRowKey(row []byte) bool {
	if e.passedAll {
		return true
	}
	order := bytes.Compare(row[:min(len(row), len(e.prefix))], e.prefix)
	if e.reversed {
		order = -order
	}
	e.out, e.ahead, e.passedAll = order != 0, order < 0, order > 0
	return e.passedAll
}

func (e *prefixEvaluator) FilterCell(*Cell) Code {
	switch {
	case e.ahead:
		return SeekNextUsingHint
	case e.out:
		return NextRow
	}
	return Include
}

// NextCellHint returns the prefix or, in a reversed scan, the end of the rows with it.
func (e *prefixEvaluator) NextCellHint(*Cell) Hint {
	if !e.reversed {
		return Hint{Row: e.prefix}
	}
	end := bytes.Clone(e.prefix)
	for len(end) > 0 {
		if end[len(end)-1]++; end[len(end)-1] != 0 {
			break
		}
		end = end[:len(end)-1]
	}
	return Hint{Row: end}
}

type pageEvaluator struct {
	base
	size, rows int64
}

// Open implements Filter.
func (f PageFilter) Open(bool) (Evaluator, error) {
	return &pageEvaluator{size: f.Size}, notNegative("the size of PageFilter", int(min(f.Size, 1)))
}

func (e *pageEvaluator) FilterAllRemaining() bool { return e.rows >= e.size }
func (e *pageEvaluator) FilterRowKey([]byte) bool { return e.FilterAllRemaining() }
func (e *pageEvaluator) HasFilterRow() bool       { return true }

func (e *pageEvaluator) FilterRow() bool {
	e.rows++
	return e.rows > e.size
}

type inclusiveStopEvaluator struct {
	base
	stop           []byte
	reversed, done bool
}

// Open implements Filter.
func (f InclusiveStopFilter) Open(reversed bool) (Evaluator, error) {
	return &inclusiveStopEvaluator{stop: f.Stop, reversed: reversed}, nil
}

func (e *inclusiveStopEvaluator) FilterAllRemaining() bool { return e.done }

func (e *inclusiveStopEvaluator) FilterRowKey(row []byte) bool {
	if order := bytes.Compare(row, e.stop); !e.done {
		e.done = order > 0 && !e.reversed || order < 0 && e.reversed
	}
	return e.done
}

func (e *inclusiveStopEvaluator) FilterCell(*Cell) Code {
	if e.done {
		return NextRow
	}
	return Include
}

type randomRowEvaluator struct {
	base
	chance float32
	out    bool
}

// Open implements Filter.
func (f RandomRowFilter) Open(bool) (Evaluator, error) {
	return &randomRowEvaluator{chance: f.Chance}, nil
}

func (e *randomRowEvaluator) Reset()             { e.out = false }
func (e *randomRowEvaluator) HasFilterRow() bool { return true }
func (e *randomRowEvaluator) FilterRow() bool    { return e.out }

func (e *randomRowEvaluator) FilterRowKey([]byte) bool {
	e.out = e.chance <= 1 && !(rand.Float32() < e.chance)
	return e.out
}

func (e *randomRowEvaluator) FilterCell(*Cell) Code {
	if e.out {
		return NextRow
	}
	return Include
}

// firstKeyEvaluator passes cells up to the first one with one of the qualifiers; nil means any.
type firstKeyEvaluator struct {
	base
	qualifiers [][]byte
	found      bool
}

// Open implements Filter.
func (f FirstKeyOnlyFilter) Open(bool) (Evaluator, error) { return &firstKeyEvaluator{}, nil }

// Open implements Filter.
func (f FirstKeyValueMatchingQualifiersFilter) Open(bool) (Evaluator, error) {
	return &firstKeyEvaluator{qualifiers: append([][]byte{}, f.Qualifiers...)}, nil
}

func (e *firstKeyEvaluator) Reset() { e.found = false }

func (e *firstKeyEvaluator) FilterCell(c *Cell) Code {
	if e.found {
		return NextRow
	}
	e.found = e.qualifiers == nil ||
		slices.ContainsFunc(e.qualifiers, func(q []byte) bool { return bytes.Equal(q, c.Qualifier) })
	return Include
}

type keyOnlyEvaluator struct {
	base
	KeyOnlyFilter
}

// Open implements Filter.
func (f KeyOnlyFilter) Open(bool) (Evaluator, error) { return &keyOnlyEvaluator{KeyOnlyFilter: f}, nil }

func (e *keyOnlyEvaluator) TransformCell(c *Cell) {
	length := uint32(len(c.Value))
	if c.Value = []byte{}; e.LengthAsValue {
		c.Value = binary.BigEndian.AppendUint32(nil, length)
	}
}
