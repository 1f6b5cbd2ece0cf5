package rowcodec

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// declared is the type of a definition.
func declared(t testing.TB, text string) coltype.Type {
	t.Helper()
	parsed, err := parse.Parse("CREATE TABLE t (x " + text + ")")
	require.NoError(t, err, text)
	typ, err := coltype.Of(&parsed.Stmt.(*ast.CreateTable).Columns[0], schema.Text{})
	require.NoError(t, err, text)
	return typ
}

// allTypes are types of every base.
var allTypes = []string{"TINYINT", "TINYINT UNSIGNED", "BOOL", "SMALLINT", "SMALLINT UNSIGNED", "MEDIUMINT",
	"MEDIUMINT UNSIGNED", "INT", "INT UNSIGNED", "INT(5) ZEROFILL", "BIGINT", "BIGINT UNSIGNED", "BIT(1)", "BIT(13)",
	"BIT(64)",
	"DECIMAL(10,2)", "DECIMAL(65,30)", "DECIMAL(5,0) UNSIGNED", "DECIMAL(20,20)", "FLOAT", "DOUBLE", "FLOAT(7,3)",
	"DOUBLE(8,2) UNSIGNED",
	"DATE", "TIME", "TIME(3)", "TIME(6)", "DATETIME", "DATETIME(3)", "DATETIME(6)", "TIMESTAMP", "TIMESTAMP(2)", "YEAR",
	"CHAR(5) COLLATE utf8mb4_bin", "VARCHAR(8) COLLATE utf8mb4_bin", "VARCHAR(8) COLLATE utf8mb4_0900_bin",
	"TEXT COLLATE utf8mb4_bin",
	"VARCHAR(8)", "CHAR(6)", "VARCHAR(8) COLLATE utf8mb4_unicode_ci", "VARCHAR(8) COLLATE utf8mb4_unicode_520_ci",
	"VARCHAR(8) COLLATE utf8mb4_0900_ai_ci", "VARCHAR(8) COLLATE utf8mb4_0900_as_ci",
	"VARCHAR(8) COLLATE utf8mb4_0900_as_cs",
	"BINARY(4)", "VARBINARY(8)", "BLOB", "ENUM('b','a','','C')", "SET('x','y','z')", "JSON"}

// drawn draws values of types.
type drawn struct{ *rand.Rand }

// value is a value that a column of the type can hold.
func (g drawn) value(t coltype.Type) value.Value {
	c := coltype.NewColumn("x", t, false)
	w := &coltype.Writing{Row: 1, Dates: coltype.Dates{Zero: true, ZeroIn: true, Invalid: true},
		Env: &function.Env{Ctx: context.Background(),
			Session: &function.Session{Now: time.Date(2024, 2, 29, 1, 2, 3, 0, time.UTC)}}}
	for {
		v, err := c.Convert(w, g.given(t))
		if err == nil {
			return v
		}
	}
}

func (g drawn) given(t coltype.Type) value.Value {
	switch {
	case t.Base.IsInteger(), t.Base == coltype.Bit, t.Base == coltype.Year, t.Base == coltype.Set:
		n := g.Uint64() >> g.IntN(64)
		if g.IntN(2) == 0 {
			return value.NewInt(-int64(n >> 1))
		}
		return value.NewUint(n)
	case t.Base == coltype.Decimal:
		text := fmt.Sprintf("%s%d.%d", []string{"", "-"}[g.IntN(2)], g.Uint64()>>g.IntN(64), g.Uint64()>>g.IntN(64))
		v, _ := value.ParseExact([]byte(text))
		return v
	case t.Base.IsFloat():
		if f := math.Float64frombits(g.Uint64()); g.IntN(2) == 0 && isReal(f) {
			return value.NewFloat(f)
		}
		return value.NewFloat(float64(g.IntN(2000)-1000) / []float64{1, 7, 100}[g.IntN(3)])
	case t.Base.IsTemporal():
		return g.moment(t)
	case t.Base == coltype.Enum:
		return value.NewInt(1 + int64(g.IntN(len(t.Members))))
	case t.Base == coltype.JSON:
		return value.NewString([]string{`{"a":1}`, `[1,2.5,"x"]`, `null`, `"\u00e4"`}[g.IntN(4)])
	}
	return value.NewText(g.text())
}

func (g drawn) moment(t coltype.Type) value.Value {
	if t.Base == coltype.Time {
		return value.NewTime(g.Int64N(2*calendar.MaxTime)-calendar.MaxTime, 6)
	}
	f := calendar.Fields{Year: 1971 + g.IntN(60), Month: g.IntN(13), Day: g.IntN(32), Hour: g.IntN(24), Minute: g.IntN(60),
		Second: g.IntN(60), Micro: g.IntN(1e6)}
	if t.Base != coltype.Timestamp && g.IntN(2) == 0 {
		f.Year = g.IntN(10000)
	}
	return value.NewDateTime(f, 6)
}

// text is short and of few characters, so that texts have common prefixes.
func (g drawn) text() []byte {
	var b strings.Builder
	for range g.IntN(5) {
		b.WriteString([]string{"a", "A", "b", " ", " ", "\x00", "\x01", "ä", "ß", "😀", "\t", "~", "\uffff"}[g.IntN(13)])
	}
	return []byte(b.String())
}

// order is the engine's, NULL first: that of bytes for binary texts, without padding unless the part is Padded.
func order(p Part, x, y value.Value) int {
	switch {
	case x.IsNull() || y.IsNull():
		return value.Order(x, y)
	case p.Type.Base.HasMembers():
		return cmp.Compare(p.Type.Ordinal(x), p.Type.Ordinal(y))
	case p.Type.Base.IsText() && p.Type.By().IsBinary() && !p.Padded:
		return value.Order(value.NewBytes(x.Raw()), value.NewBytes(y.Raw()))
	}
	return value.Order(x, y)
}

// orderOf orders tuples by their first parts.
func orderOf(k *Key, parts int, x, y []value.Value) int {
	for i := range parts {
		if o := order(k.parts[i].Part, x[i], y[i]); o != 0 {
			return o
		}
	}
	return 0
}
