package driver

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/internal/values"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

type (
	myInt    int16
	myUint   uint64
	myString string
	myBytes  []byte
	myBool   bool
)

// valuer is a driver.Valuer with a value receiver, so a nil pointer is one too.
type valuer struct{ v any }

func (v valuer) Value() (driver.Value, error) {
	if err, ok := v.v.(error); ok {
		return nil, err
	}
	return v.v, nil
}

func TestArguments(t *testing.T) {
	seven := 7
	at := time.Date(2024, 2, 29, 23, 0, 0, 123_456_789, time.FixedZone("", 3600))
	for _, c := range []struct {
		in   any
		want value.Value
	}{
		{nil, value.Value{}},
		{[]byte(nil), value.Value{}},
		{[]byte{}, value.NewBytes([]byte{})},
		{[]byte{0, 0xff}, value.NewBytes([]byte{0, 0xff})},
		{"", value.NewText([]byte{})},
		{"text", value.NewString("text")},
		{true, value.NewInt(1)},
		{myBool(false), value.NewInt(0)},
		{int8(-8), value.NewInt(-8)},
		{myInt(-9), value.NewInt(-9)},
		{uint64(math.MaxUint64), value.NewUint(math.MaxUint64)},
		{myUint(1 << 63), value.NewUint(1 << 63)},
		{uint32(7), value.NewUint(7)},
		{1.5, value.NewFloat(1.5)},
		{float32(0.5), value.NewFloat(0.5)},
		{myString("named"), value.NewString("named")},
		{myBytes("named"), value.NewBytes([]byte("named"))},
		{myBytes(nil), value.Value{}},
		{json.RawMessage(`{"a": 1}`), value.NewBytes([]byte(`{"a": 1}`))},
		{json.RawMessage(nil), value.Value{}},
		{&seven, value.NewInt(7)},
		{(*int)(nil), value.Value{}},
		{time.Time{}, value.NewString("0000-00-00")},
		{at, value.NewString("2024-02-29 22:00:00.123456789")},
		{decimal.RequireFromString("1.50"), value.NewString("1.5")},
		{valuer{"from a valuer"}, value.NewString("from a valuer")},
		{&valuer{int64(3)}, value.NewInt(3)},
		{(*valuer)(nil), value.Value{}},
		{valuer{json.RawMessage("[]")}, value.NewBytes([]byte("[]"))},
		{sql.NullString{}, value.Value{}},
		{sql.Null[uint64]{V: math.MaxUint64, Valid: true}, value.NewUint(math.MaxUint64)},
	} {
		arg := driver.NamedValue{Value: c.in}
		require.NoError(t, (&conn{}).CheckNamedValue(&arg), "%#v", c.in)
		got, err := (&values.Binder{Times: NewConfig("x").times()}).Bind([]driver.NamedValue{arg})
		require.NoError(t, err)
		require.True(t, value.Identical(c.want, got[0]), "%#v: %v", c.in, got[0])
		direct, err := (&values.Binder{Times: NewConfig("x").times()}).Bind([]driver.NamedValue{{Value: c.in}})
		require.NoError(t, err, "unchecked")
		require.True(t, value.Identical(got[0], direct[0]), "%#v: %v", c.in, direct[0])
	}
}

func TestArgumentsRefused(t *testing.T) {
	boom := errors.New("boom")
	for _, in := range []any{[]int{1}, map[string]int{}, struct{}{}, [4]byte{}, make(chan int), func() {}, complex(1, 1), valuer{valuer{1}}} {
		_, err := values.CheckArg(in, 0)
		require.Error(t, err, "%#v", in)
		_, err = (&values.Binder{Times: NewConfig("x").times()}).Bind([]driver.NamedValue{{Value: in}})
		requireNumber(t, 1210, err)
	}
	for _, in := range []any{math.NaN(), math.Inf(1), float32(math.Inf(-1)), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)} {
		_, err := (&values.Binder{Times: NewConfig("x").times()}).Bind([]driver.NamedValue{{Value: in}})
		requireNumber(t, 1210, err)
	}
	type pointer *pointer
	var p pointer
	p = &p
	var a any
	a = &a
	for _, in := range []any{p, a, &a} {
		_, err := values.CheckArg(in, 0)
		require.ErrorContains(t, err, "pointers lead to the argument")
	}
	_, err := values.CheckArg(valuer{boom}, 0)
	require.ErrorIs(t, err, boom)
}

func TestArgumentsThroughDatabaseSQL(t *testing.T) {
	db := openTable(t)
	_, err := db.Exec("INSERT INTO g$f VALUES (?, ?, ?, ?)", []byte{0, 1}, "q", uint64(math.MaxInt64), []byte(nil))
	require.NoError(t, err)
	require.Equal(t, "NULL", one(t, db, "SELECT V FROM g$f WHERE K = ? AND T = ?", []byte{0, 1}, uint64(math.MaxInt64)))
	require.Equal(t, "18446744073709551615", one(t, db, "SELECT ?", uint64(math.MaxUint64)))
	require.Equal(t, "2024-02-29", one(t, db, "SELECT ?", time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)))

	_, err = db.Exec("INSERT INTO g$f VALUES (?, ?, ?, ?)", "k", "q", uint64(1<<63), "v")
	requireNumber(t, 1264, err)
	_, err = db.Exec("INSERT INTO g$f VALUES (@k, 'q', 1, 'v')", sql.Named("k", "k"))
	requireNumber(t, 1210, err)
	require.ErrorContains(t, err, "'k'")
	_, err = db.Query("SELECT ?", sql.Named("name", 1))
	requireNumber(t, 1210, err)
	_, err = db.Exec("INSERT INTO g$f VALUES (?, ?, ?, ?)", "k", "q", 1)
	requireNumber(t, 1210, err)
	_, err = db.Query("SELECT 1", 2)
	requireNumber(t, 1210, err)
	_, err = db.Query("SELECT ?", []int{1})
	require.ErrorContains(t, err, "[]int")
	require.Equal(t, "1", one(t, db, "SELECT COUNT(*) FROM g$f"))
}
