package kernel

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// benchExpressions are over the columns 0 (Q), 1 (V, of digits), 2 (T), and 3, of unsigned
// integers.
func benchExpressions(b *testing.B) map[string]expr.Node {
	q := &expr.Column{Index: 0, T: value.Type{Kind: value.Bytes, Nullable: true}}
	v := &expr.Column{Index: 1, T: value.Type{Kind: value.Bytes, Nullable: true}}
	at := &expr.Column{Index: 2, T: value.Type{Kind: value.Int}}
	tile := &expr.Column{Index: 3, T: value.Type{Kind: value.Uint}}
	text := func(s string) expr.Node { return &expr.Const{V: value.NewString(s)} }
	number := func(n int64) expr.Node { return &expr.Const{V: value.NewInt(n)} }
	call := func(name string, args ...expr.Node) expr.Node {
		n, err := bind.NewCall(name, args...)
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	delay := &expr.Compare{Op: expr.Eq, L: q, R: text("delay")}
	digits := &expr.Cast{X: v, To: expr.ToSigned}
	late := &expr.Compare{Op: expr.Gt, L: digits, R: number(30)}
	seconds := &expr.Arith{Op: expr.Divide, L: at, R: number(1000)}
	return map[string]expr.Node{
		"compare strings": delay, "CAST AS SIGNED": digits, "CAST AS DOUBLE": &expr.Cast{X: v, To: expr.ToDouble}, "compare integers": late,
		"compare unsigned": &expr.Compare{Op: expr.Eq, L: tile, R: number(95)},
		"AND":              &expr.And{List: []expr.Node{delay, late}}, "LIKE": &expr.Like{X: v, Pattern: text("1%")}, "IS NULL": &expr.IsNull{X: v},
		"LEFT": call("LEFT", v, number(2)), "LENGTH": call("LENGTH", v), "DIV": &expr.Arith{Op: expr.IntDivide, L: at, R: number(3_600_000)},
		"FLOOR":  call("FLOOR", &expr.Arith{Op: expr.Divide, L: at, R: number(3_600_000)}),
		"CASE":   &expr.Case{Whens: []expr.When{{Cond: delay, Then: number(1)}}, Else: number(0), T: value.Type{Kind: value.Int}},
		"digits": &expr.Compare{Op: expr.Gt, L: v, R: number(30)}, "doubles": &expr.Compare{Op: expr.Gt, L: v, R: &expr.Const{V: value.NewFloat(2.5)}},
		"IN": &expr.In{X: v, List: []expr.Node{text("7"), text("31"), text("x")}}, "arith": &expr.Arith{Op: expr.Times, L: v, R: number(2)},
		"COALESCE": call("COALESCE", v, q), "NULLIF": call("NULLIF", v, text("7")), "CONCAT": call("CONCAT", q, text(":"), v),
		"moments":   &expr.Compare{Op: expr.Lt, L: call("FROM_UNIXTIME", seconds), R: text("2023-11-15 10:00:00")},
		"operation": call("LOCATE", text("1"), call("CONCAT", q, text(":"), v)),
		"times":     call("DATE_FORMAT", call("FROM_UNIXTIME", seconds), text("%Y-%m-%d")),
	}
}

// benchBatch returns rows of two qualifiers, one minute apart.
func benchBatch(n int) *Batch {
	schema := Schema{{Index: 0, Kind: value.Bytes}, {Index: 1, Kind: value.Bytes}, {Index: 2, Kind: value.Int}, {Index: 3}}
	b := NewBatch(schema, func(at int, v *value.Vector) {
		v.Start(schema[at].Kind, n)
		for i := range n {
			switch at {
			case 0:
				v.Bytes[i] = []byte([]string{"carrier", "delay"}[i%2])
			case 1:
				v.Bytes[i] = fmt.Append(nil, i*31%180-20)
			case 2:
				v.Ints[i] = 1_700_000_000_000 + int64(i)*60_000
			default:
				v.Values[i] = value.NewUint(uint64(i / 10))
			}
		}
	})
	b.Start(n)
	return b
}

// BenchmarkKernels compares each kernel with evaluating each row.
func BenchmarkKernels(b *testing.B) {
	const rows = 1024
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	for name, n := range benchExpressions(b) {
		session := &function.Session{Now: time.Unix(1_700_000_000, 0).UTC()}
		c := &Compiler{Schema: benchBatch(0).Schema(), Env: &expr.Env{Row: make([]value.Value, 4), Env: function.Env{Session: session}}}
		for way, k := range map[string]Kernel{"kernel": c.Compile(n), "each row": c.eachRow(n)} {
			b.Run(name+"/"+way, func(b *testing.B) {
				batch := benchBatch(rows)
				before := used()
				for b.Loop() {
					if _, ok := k.Eval(batch, batch.Rows); !ok {
						b.Fatal("not evaluated")
					}
				}
				b.ReportMetric(float64(used()-before)/float64(b.N)/rows, "cpu-ns/row")
			})
		}
	}
}
