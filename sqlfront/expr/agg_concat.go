package expr

import (
	"fmt"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// defaultConcatLength is group_concat_max_len, in bytes.
const defaultConcatLength = 1024

// concatAcc is GROUP_CONCAT. It keeps every row's string until the end, since
// ORDER BY may ask for any order.
type concatAcc struct {
	agg     *Aggregate
	rows    []concatRow
	session *SessionInfo
}

type concatRow struct {
	text   []byte
	binary bool
	keys   []value.Value
}

func (c *concatAcc) add(env *Env, args []value.Value) error {
	if env.Session != nil {
		c.session = env.Session
	}
	var row concatRow
	for _, v := range args[:len(c.agg.Args)] {
		row.text = v.AppendText(row.text)
		row.binary = row.binary || v.Kind() == value.Bytes
	}
	for _, k := range args[len(c.agg.Args):] {
		row.keys = append(row.keys, k.Clone())
	}
	c.rows = append(c.rows, row)
	return nil
}

func (c *concatAcc) merge(other accumulator) error {
	o := other.(*concatAcc)
	c.rows = append(c.rows, o.rows...)
	if c.session == nil {
		c.session = o.session
	}
	return nil
}

func (c *concatAcc) result() (value.Value, error) {
	if len(c.rows) == 0 {
		return value.Value{}, nil
	}
	if len(c.agg.Order) > 0 {
		slices.SortStableFunc(c.rows, c.compare)
	}
	limit := c.maxLength()
	var out []byte
	binary := false
	for i, row := range c.rows {
		if i > 0 {
			out = append(out, c.agg.Separator...)
		}
		out = append(out, row.text...)
		binary = binary || row.binary
		if len(out) > limit {
			c.warnCut(i + 1)
			return c.cut(out, limit, binary), nil
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
		_, size := nextRune(out[at:])
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
