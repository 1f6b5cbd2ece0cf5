package advise

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestKeyTimes(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	keys := func(key func(time.Time) []byte) []sampledRow {
		var rows []sampledRow
		for i := range 100 {
			at := at.Add(time.Duration(i) * time.Hour)
			rows = append(rows, sampledRow{key: key(at), newest: at.UnixMilli()})
		}
		return rows
	}
	long := func(u uint64) []byte { return binary.BigEndian.AppendUint64(nil, u) }
	for want, key := range map[string]func(time.Time) []byte{
		"milliseconds in 13 digits":        func(at time.Time) []byte { return fmt.Appendf(nil, "%d-x", at.UnixMilli()) },
		"seconds in 10 digits":             func(at time.Time) []byte { return fmt.Appendf(nil, "%d", at.Unix()) },
		"a date and time in digits":        func(at time.Time) []byte { return []byte(at.Format("20060102150405")) },
		"a date and time in text":          func(at time.Time) []byte { return []byte(at.Format(time.RFC3339)) },
		"a date in digits":                 func(at time.Time) []byte { return []byte(at.Format("20060102") + "#7") },
		"milliseconds in 8 bytes":          func(at time.Time) []byte { return long(uint64(at.UnixMilli())) },
		"milliseconds in 8 sortable bytes": func(at time.Time) []byte { return long(uint64(at.UnixMilli()) ^ 1<<63) },
		"reversed milliseconds in 8 bytes": func(at time.Time) []byte { return long(math.MaxInt64 - uint64(at.UnixMilli())) },
		"an ObjectId's time":               func(at time.Time) []byte { return fmt.Appendf(nil, "%08x0123456789abcdef", at.Unix()) },
		"a UUIDv7's time": func(at time.Time) []byte {
			return fmt.Appendf(nil, "%08x-%04x-7abc-8def-0123456789ab", at.UnixMilli()>>16, at.UnixMilli()&0xffff)
		},
		"": func(at time.Time) []byte { return fmt.Appendf(nil, "user%d", at.Unix()) },
	} {
		form, current := timesOf(keys(key), at.Add(99*time.Hour).UnixMilli())
		require.Equal(t, want, form.name)
		require.Equal(t, want != "", current, want)
		_, current = timesOf(keys(key), at.Add(9999*time.Hour).UnixMilli())
		require.False(t, current, "a history")
	}
	for _, other := range []func(int) string{
		func(i int) string { return fmt.Sprintf("%05d", i*97) },
		func(i int) string { return fmt.Sprintf("%010d", i) },
		func(i int) string { return fmt.Sprintf("%d", 13800138000+i) },
		func(i int) string { return fmt.Sprintf("%x", i*7919) },
	} {
		var rows []sampledRow
		for i := range 200 {
			rows = append(rows, sampledRow{key: []byte(other(i))})
		}
		form, _ := timesOf(rows, 0)
		require.Empty(t, form.name, other(100))
	}
}

func TestCounts(t *testing.T) {
	require.Equal(t, []int{2, 7, 11, 97, 997, 1009}, []int{prime(0), prime(7), prime(8), prime(90), prime(997), prime(998)})
	require.Zero(t, counts{0, 0}.share())
	require.InDelta(t, 1, counts{0, 0, 20, 0}.share(), 1e-9)
	require.InDelta(t, 0.4, counts{1, 2, 3, 4}.share(), 1e-9)
	require.Less(t, counts{1000, 1000}.chance(), 1.1)
	require.Greater(t, counts{1, 1}.chance(), 2.0)
}

// TestInterpolate: only bytes that occur in the keys are used.
func TestInterpolate(t *testing.T) {
	keys := [][]byte{[]byte("k1000"), []byte("k2345"), []byte("k5999")}
	require.Equal(t, "k1000", string(interpolate(keys, 0)[:5]))
	require.Regexp(t, `^k3`, string(interpolate(keys, 0.5)))
	require.Equal(t, "same", string(interpolate([][]byte{[]byte("same"), []byte("same")}, 0.5)))
	last := ""
	for i := range 40 {
		at := string(interpolate(keys, float64(i)/40))
		require.LessOrEqual(t, last, at)
		require.LessOrEqual(t, at[:5], "k5999")
		last = at
	}
}

func TestQuantiles(t *testing.T) {
	var rows []sampledRow
	for i := range 100 {
		rows = append(rows, sampledRow{key: fmt.Appendf(nil, "user%02d#long tail", i)})
	}
	var got []string
	for _, q := range quantiles(rows, 4) {
		got = append(got, string(q))
	}
	require.Equal(t, []string{"user25", "user5", "user75"}, got)
	require.Empty(t, quantiles(rows[:1], 4))
	require.Empty(t, quantiles(nil, 4))
	sep, at := separator(rows)
	require.Equal(t, "#6", sep+strconv.Itoa(at))
}
