package expr

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// defaultConcatLength is group_concat_max_len, in bytes.
const defaultConcatLength = 1024

// concatAcc is GROUP_CONCAT. It keeps the rows that the result may be made of:
// without ORDER BY the first ones up to group_concat_max_len, else now and then
// those that are the first in that order so far.
type concatAcc struct {
	agg     *Aggregate
	memory  *held
	session *function.Session
	rows    []concatRow
	length  int // of the rows with their separators
	limit   int // group_concat_max_len
}

type concatRow struct {
	text   []byte
	binary bool
	keys   []value.Value
}

func (c *concatAcc) keepIn(m *held) { c.memory = m }

func (c *concatAcc) add(env *Env, args []value.Value) error {
	if c.rows == nil {
		c.session = env.Session
		c.limit = min(c.maxLength(), env.MaxPacket())
	}
	if c.length > c.limit {
		if len(c.agg.Order) == 0 {
			return nil // the result is cut before this row
		}
		if c.length > 2*c.limit+pruneSlack {
			c.prune()
		}
	}
	var row concatRow
	for _, v := range args[:len(c.agg.Args)] {
		row.text = c.appendCut(row.text, v)
		row.binary = row.binary || v.Kind() == value.Bytes
	}
	for _, k := range args[len(c.agg.Args):] {
		row.keys = append(row.keys, k.Clone())
	}
	c.keep(row)
	if err := c.memory.allowed(env); err != nil {
		return err
	}
	return env.Step(row.size())
}

// combine takes the rows of another state, which come behind these.
func (c *concatAcc) combine(other accumulator) error {
	o := other.(*concatAcc)
	if c.rows == nil {
		c.session, c.limit = o.session, o.limit
	}
	for _, row := range o.rows {
		if c.length > c.limit {
			if len(c.agg.Order) == 0 {
				return nil
			}
			if c.length > 2*c.limit+pruneSlack {
				c.prune()
			}
		}
		c.keep(row)
	}
	return nil
}

// appendCut appends as much of a value as the result may have.
func (c *concatAcc) appendCut(text []byte, v value.Value) []byte {
	if b := v.Raw(); len(b) > c.limit+utf8.UTFMax {
		return append(text, b[:c.limit+utf8.UTFMax]...) // with all of the character at the limit
	}
	return v.AppendText(text)
}

// pruneSlack keeps short results from being sorted for every few rows.
const pruneSlack = 4 << 10

func (c *concatAcc) keep(row concatRow) {
	if len(c.rows) > 0 {
		c.length += len(c.agg.Separator)
	}
	c.length += len(row.text)
	c.rows = append(c.rows, row)
	c.memory.grow(row.size())
}

// concatOverhead is about what a row takes beside its bytes.
const concatOverhead = 64

func (r *concatRow) size() int {
	n := concatOverhead + len(r.text)
	for _, k := range r.keys {
		n += k.Size()
	}
	return n
}

// prune forgets the rows behind the one at which the result is cut.
func (c *concatAcc) prune() {
	slices.SortStableFunc(c.rows, c.compare)
	old := c.rows
	c.rows, c.length = c.rows[:0], 0
	c.memory.release()
	for _, row := range old {
		c.keep(row)
		if c.length > c.limit {
			break
		}
	}
	clear(old[len(c.rows):])
}

func (c *concatAcc) result() (value.Value, error) {
	if len(c.rows) == 0 {
		return value.Value{}, nil
	}
	if len(c.agg.Order) > 0 {
		slices.SortStableFunc(c.rows, c.compare)
	}
	var out []byte
	binary := false
	for i, row := range c.rows {
		if i > 0 {
			out = append(out, c.agg.Separator...)
		}
		out = append(out, row.text...)
		binary = binary || row.binary
		if len(out) > c.limit {
			c.warnCut(i + 1)
			return c.cut(out, c.limit, binary), nil
		}
	}
	return stringValue(out, binary), nil
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

// cut shortens text to whole characters.
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
