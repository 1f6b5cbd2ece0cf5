package aggregate

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/setfunc"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// defaultConcatLength is group_concat_max_len, in bytes.
const defaultConcatLength = 1024

// concatAcc is GROUP_CONCAT. It keeps the rows from which the result may be made: without ORDER BY
// the first ones up to group_concat_max_len. With it, the rows after the cut are dropped from time
// to time.
type concatAcc struct {
	agg     *setfunc.Aggregate
	memory  *held
	session *function.Session
	kept    *concatRows
	left    *spareRows // for the next state
	length  int        // of the rows, including separators
	limit   int        // group_concat_max_len
}

// concatRows are the texts of rows in one buffer.
type concatRows struct {
	text []byte
	rows []concatRow
}

// Size is about how much memory they take, in bytes.
func (r *concatRows) Size() int { return cap(r.text) + concatOverhead*cap(r.rows) }

// Reset removes the rows and keeps the memory for later ones.
func (r *concatRows) Reset() {
	clear(r.rows)
	r.text, r.rows = r.text[:0], r.rows[:0]
}

// spareRows has the memory of a finished state.
type spareRows = spare[concatRows, *concatRows]

type concatRow struct {
	from, to int // offsets in the text
	binary   bool
	keys     []value.Value
}

func newConcat(a *setfunc.Aggregate, left *spareRows) *concatAcc {
	return &concatAcc{agg: a, left: left, kept: left.take()}
}

func (c *concatAcc) keepIn(m *held) { c.memory = m }

func (c *concatAcc) add(env *expr.Env, args []value.Value) error {
	if len(c.kept.rows) == 0 {
		c.session = env.Session
		c.limit = min(c.maxLength(), env.MaxPacket())
	}
	if c.full() {
		return nil
	}
	k := c.kept // after full, which may replace it
	row := concatRow{from: len(k.text)}
	for _, v := range args[:len(c.agg.Args)] {
		k.text = c.appendCut(k.text, v)
		row.binary = row.binary || v.Kind() == value.Bytes
	}
	row.to = len(k.text)
	for _, v := range args[len(c.agg.Args):] {
		row.keys = append(row.keys, v.Clone())
	}
	c.keep(row)
	if err := c.memory.allowed(env); err != nil {
		return err
	}
	return env.Step(row.size())
}

// full reports whether the result is cut before the next row.
func (c *concatAcc) full() bool {
	if c.length <= c.limit {
		return false
	}
	if len(c.agg.Order) > 0 && c.length > 2*c.limit+pruneSlack {
		c.prune()
	}
	return len(c.agg.Order) == 0
}

// combine adds the rows of another state, which follow these.
func (c *concatAcc) combine(other accumulator) error {
	o := other.(*concatAcc)
	if len(c.kept.rows) == 0 {
		c.session, c.limit = o.session, o.limit
	}
	for _, row := range o.kept.rows {
		if c.full() {
			return nil
		}
		c.take(row, o.kept.text)
	}
	return nil
}

// take keeps a row of another text.
func (c *concatAcc) take(row concatRow, text []byte) {
	from := len(c.kept.text)
	c.kept.text = append(c.kept.text, text[row.from:row.to]...)
	row.from, row.to = from, len(c.kept.text)
	c.keep(row)
}

// appendCut appends the part of a value that may be in the result.
func (c *concatAcc) appendCut(text []byte, v value.Value) []byte {
	if b := v.Raw(); len(b) > c.limit+utf8.UTFMax {
		return append(text, b[:c.limit+utf8.UTFMax]...) // including all of the character at the limit
	}
	return v.AppendText(text)
}

// pruneSlack avoids sorting short results every few rows.
const pruneSlack = 4 << 10

// keep keeps a row whose text has just been appended.
func (c *concatAcc) keep(row concatRow) {
	if len(c.kept.rows) > 0 {
		c.length += len(c.agg.Separator)
	}
	c.length += row.to - row.from
	c.kept.rows = append(c.kept.rows, row)
	c.memory.grow(row.size())
}

// concatOverhead is about what a row takes besides its bytes.
const concatOverhead = 64

func (r *concatRow) size() int {
	n := concatOverhead + r.to - r.from
	for _, k := range r.keys {
		n += k.Size()
	}
	return n
}

// prune drops the rows after the one at which the result is cut.
func (c *concatAcc) prune() {
	c.sort()
	old := c.kept
	c.kept, c.length = &concatRows{}, 0
	c.memory.release()
	for _, row := range old.rows {
		c.take(row, old.text)
		if c.length > c.limit {
			break
		}
	}
}

func (c *concatAcc) sort() {
	if len(c.agg.Order) > 0 {
		slices.SortStableFunc(c.kept.rows, c.compare)
	}
}

func (c *concatAcc) result() (value.Value, error) {
	if len(c.kept.rows) == 0 {
		return value.Value{}, nil
	}
	c.sort()
	out := make([]byte, 0, min(c.length, c.limit+utf8.UTFMax))
	binary := false
	for i, row := range c.kept.rows {
		if i > 0 {
			out = append(out, c.agg.Separator...)
		}
		out = append(out, c.kept.text[row.from:row.to]...)
		binary = binary || row.binary
		if len(out) > c.limit {
			c.warnCut(i + 1)
			return c.cut(out, c.limit, binary).WithCollation(c.agg.Type().Collation), nil
		}
	}
	return stringValue(out, binary).WithCollation(c.agg.Type().Collation), nil
}

func (c *concatAcc) leave() {
	c.left.give(c.kept)
	c.kept = nil
}

func (c *concatAcc) compare(a, b concatRow) int {
	for i, o := range c.agg.Order {
		order := value.Order(a.keys[i], b.keys[i])
		if o.Desc {
			order = -order
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

func (c *concatAcc) maxLength() int {
	if c.session == nil || c.session.Variable == nil {
		return defaultConcatLength
	}
	v, err := c.session.Variable("", "group_concat_max_len")
	if err != nil || v.IsNull() {
		return defaultConcatLength
	}
	return int(v.AsInt())
}

// cut shortens text to at most limit bytes of whole characters.
func (c *concatAcc) cut(out []byte, limit int, binary bool) value.Value {
	if binary {
		return value.NewBytes(out[:limit])
	}
	at := 0
	for at < limit {
		_, size := value.NextRune(out[at:])
		if at+size > limit {
			break
		}
		at += size
	}
	return value.NewText(out[:at])
}

func (c *concatAcc) warnCut(row int) {
	if c.session != nil && c.session.AddWarning != nil {
		c.session.AddWarning(uint16(mysqlerr.CutValueGroupConcat), fmt.Sprintf("Row %d was cut by GROUP_CONCAT()", row))
	}
}

func stringValue(b []byte, binary bool) value.Value {
	if binary {
		return value.NewBytes(b)
	}
	return value.NewText(b)
}
