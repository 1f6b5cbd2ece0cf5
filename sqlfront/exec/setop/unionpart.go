package setop

import (
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// unionPart converts the rows of a part to those of its union, in the first columns of its frame.
type unionPart struct {
	op.Input
	*Union
	x     *op.Frame
	above kernel.Reader // nil if unknown
	out   *kernel.Batch // nil before the first vectors
	own   []value.Vector
}

// converted converts rows to those of a union in its frame.
func (u *Union) converted(x *op.Frame, rows op.Operator) *unionPart {
	return &unionPart{Input: op.Input{Operator: rows}, Union: u, x: x}
}

// start starts with the rows of another part.
func (p *unionPart) start(rows op.Operator) {
	p.Input = op.Input{Operator: rows}
	if p.above != nil {
		p.ReadFor(p.above)
	}
}

func (p *unionPart) Env() *expr.Env { return &p.x.Env }

func (p *unionPart) ReadFor(r kernel.Reader) {
	p.above = r
	p.Input.ReadFor(r)
}

func (p *unionPart) Next(want int) (*kernel.Batch, error) {
	if want > 1 {
		b, err := p.Vectors(want)
		switch {
		case err != nil:
			return nil, err
		case b != nil && p.convertBatch(b):
			return p.out, nil
		case b != nil:
			p.PutBack(b)
		}
	}
	row, err := p.Result(want)
	if row == nil || err != nil {
		return nil, err
	}
	p.convert(p.x.Env.Row, row)
	return op.OneRow, nil
}

// convertBatch converts columns to the union's types, or returns false if that must be done row by
// row.
func (p *unionPart) convertBatch(b *kernel.Batch) bool {
	if p.out == nil {
		p.Begin()
	}
	p.out.Over(b)
	for at, f := range p.out.Schema() {
		if p.out.IsLeftOut(at) || f.Kind != value.Null && b.Schema()[at].Kind == f.Kind {
			p.out.Pass(at, b, at)
		} else if !p.convertColumn(at, b) {
			return false
		}
	}
	return true
}

// Begin makes the batch, which has the same columns for all parts.
func (p *unionPart) Begin() {
	schema := make(kernel.Schema, len(p.Types))
	for i, t := range p.Types {
		schema[i] = kernel.Field{Index: i, Kind: op.VectorKind(t.Kind)}
	}
	p.out, p.own = kernel.NewBatch(schema, nil), make([]value.Vector, len(schema))
	p.out.LeaveOutUnread(op.ReadOf(p.above))
}

func (p *unionPart) convertColumn(at int, b *kernel.Batch) bool {
	from, to := b.Column(at), &p.own[at]
	to.Start(p.out.Schema()[at].Kind, b.N)
	for _, i := range b.Rows {
		if !to.Set(i, convertTo(&p.Types[at], from.At(i))) {
			return false
		}
	}
	p.out.Share(at, to)
	return true
}

// convert converts the values of a row to the union's types.
func (u *Union) convert(dst, row []value.Value) {
	for i := range u.Types {
		dst[i] = convertTo(&u.Types[i], row[i])
	}
}

func (p *unionPart) Under() op.Operator        { return p.Operator }
func (p *unionPart) SameInParts() bool         { return true }
func (p *unionPart) AddWork(out *explain.Step) {} // the steps of parts are only planned

func (p *unionPart) OfPart(r *scan.PartRun, _ *op.Frame) (op.Operator, *op.Frame) {
	child, _ := r.Pipeline(p.Operator, nil)
	x := r.Frame(p.x)
	return &unionPart{Input: op.Input{Operator: child}, Union: p.Union, x: x}, x
}

func hasScale(k value.Kind) bool {
	return k == value.Decimal || k == value.DateTime || k == value.Time
}

// convertTo converts v to the type of its column in a UNION.
func convertTo(t *value.Type, v value.Value) value.Value {
	if t.Kind == value.Text && t.Collation != v.Collation() {
		return value.Coerce(v, *t).WithCollation(t.Collation)
	}
	if v.IsNull() || v.Kind() == t.Kind && (!hasScale(t.Kind) || v.Scale() == t.Decimals) {
		return v
	}
	switch t.Kind {
	case value.Float:
		return value.NewFloat(v.AsFloat())
	case value.Decimal:
		return v.Round(int32(t.Decimals))
	case value.DateTime:
		return value.NewDateTime(v.Fields(), t.Decimals)
	case value.Time:
		return value.NewTime(v.Micros(), t.Decimals)
	case value.Bytes:
		return value.NewBytes(v.AsBytes())
	case value.Text:
		return value.NewText(v.AsBytes())
	}
	return v
}
