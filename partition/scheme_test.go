package partition

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func bytesOf(texts ...string) [][]byte {
	out := make([][]byte, len(texts))
	for i, text := range texts {
		if text != "MAXVALUE" {
			out[i] = []byte(text)
		}
	}
	return out
}

func newRange(t testing.TB, upper ...string) *Scheme {
	names := make([]string, len(upper))
	for i := range names {
		names[i] = fmt.Sprintf("r%d", i)
	}
	s, err := NewRange(names, bytesOf(upper...))
	require.NoError(t, err)
	return s
}

func newKey(t testing.TB, n int) *Scheme {
	s, err := NewKey(n)
	require.NoError(t, err)
	return s
}

func newPrefixKey(t testing.TB, n, prefix int) *Scheme {
	s, err := NewPrefixKey(n, prefix)
	require.NoError(t, err)
	return s
}

func TestConstructorErrors(t *testing.T) {
	for _, n := range []int{0, -1, -1 << 62} {
		_, err := NewKey(n)
		require.ErrorIs(t, err, ErrNoPartitions)
		_, err = NewPrefixKey(n, 1)
		require.ErrorIs(t, err, ErrNoPartitions)
	}
	_, err := NewKey(MaxPartitions + 1)
	require.ErrorIs(t, err, ErrTooMany)
	_, err = NewKey(MaxPartitions)
	require.NoError(t, err)
	_, err = NewPrefixKey(3, 0)
	require.ErrorIs(t, err, ErrPrefixLength)

	for _, c := range []struct {
		names, upper []string
		want         error
	}{
		{nil, nil, ErrNoPartitions},
		{[]string{"a", "b"}, []string{"x", "x"}, ErrNotIncreasing},
		{[]string{"a", "b"}, []string{"x", "w"}, ErrNotIncreasing},
		{[]string{"a", "b"}, []string{"", ""}, ErrNotIncreasing},
		{[]string{"a", "b"}, []string{"\x80", "\x7f"}, ErrNotIncreasing},
		{[]string{"a", "b", "A"}, []string{"x", "y", "z"}, ErrDuplicateName},
		{[]string{"a", "b"}, []string{"MAXVALUE", "x"}, ErrMaxNotLast},
		{[]string{"a", "b"}, []string{"MAXVALUE", "MAXVALUE"}, ErrMaxNotLast},
	} {
		_, err := NewRange(c.names, bytesOf(c.upper...))
		require.ErrorIs(t, err, c.want, "%q", c.upper)
	}
	_, err = NewRange([]string{"a"}, bytesOf("x", "y"))
	require.Error(t, err)
	_, err = NewRange(make([]string, MaxPartitions+1), make([][]byte, MaxPartitions+1))
	require.ErrorIs(t, err, ErrTooMany)
	_, err = NewRange([]string{"a", "b", "c"}, bytesOf("", "\x00", "\x00\x00"))
	require.NoError(t, err, "a partition that can hold no row is legal")
}

func TestNames(t *testing.T) {
	s, err := NewRange([]string{"pOld", "pNew"}, bytesOf("m", "MAXVALUE"))
	require.NoError(t, err)
	require.Equal(t, "pNew", s.Name(1), "as declared")
	i, ok := s.Ordinal("PNEW")
	require.True(t, ok)
	require.Equal(t, 1, i)
	_, ok = s.Ordinal("p0")
	require.False(t, ok)

	i, ok = newKey(t, 97).Ordinal("P96")
	require.True(t, ok)
	require.Equal(t, 96, i)
	for _, name := range []string{"p97", "p-1", "p01", "96", ""} {
		_, ok = newKey(t, 97).Ordinal(name)
		require.False(t, ok, name)
	}
	_, ok = (&Scheme{}).Ordinal("")
	require.False(t, ok, "a table without partitions has no partition names")
}

func TestBounds(t *testing.T) {
	s := newRange(t, "b", "d", "MAXVALUE")
	require.Equal(t, RowRange{End: []byte("b")}, s.Bounds(0))
	require.Equal(t, RowRange{Start: []byte("b"), End: []byte("d")}, s.Bounds(1))
	require.Equal(t, RowRange{Start: []byte("d")}, s.Bounds(2))
	require.Equal(t, RowRange{}, newKey(t, 3).Bounds(2))
}

// schemes returns schemes that all differ from each other.
func schemes(t testing.TB) []*Scheme {
	return []*Scheme{
		{}, newKey(t, 1), newKey(t, 7), newPrefixKey(t, 7, 1), newPrefixKey(t, 7, 2), newPrefixKey(t, 8, 2),
		newRange(t, "b"), newRange(t, "c"), newRange(t, "MAXVALUE"), newRange(t, ""), newRange(t, "b", "d"),
		newRange(t, "b", "MAXVALUE"), newRange(t, "", "\x00", "\x00\xff", "\xff", "MAXVALUE"),
	}
}

func TestEqual(t *testing.T) {
	for i, a := range schemes(t) {
		for j, b := range schemes(t) {
			require.Equal(t, i == j, a.Equal(b), "%d %d", i, j)
		}
	}
	a, err := NewRange([]string{"Low", "high"}, bytesOf("b", "MAXVALUE"))
	require.NoError(t, err)
	b, err := NewRange([]string{"LOW", "High"}, bytesOf("b", "MAXVALUE"))
	require.NoError(t, err)
	c, err := NewRange([]string{"lo", "high"}, bytesOf("b", "MAXVALUE"))
	require.NoError(t, err)
	require.True(t, a.Equal(b), "names without regard to case")
	require.False(t, a.Equal(c))
}

// TestNil requires that nil, like the zero value, is a table without partitions.
func TestNil(t *testing.T) {
	for _, s := range []*Scheme{nil, {}} {
		require.Equal(t, None, s.Method())
		require.Equal(t, 1, s.Len())
		require.Zero(t, s.PrefixLen())
		require.Empty(t, s.Name(0))
		require.Equal(t, RowRange{}, s.Bounds(0))
		require.True(t, s.Ordered())
		require.True(t, s.Equal(nil))
		require.True(t, (*Scheme)(nil).Equal(s))
		require.False(t, s.Equal(newKey(t, 1)))
		require.False(t, newKey(t, 1).Equal(s))
		i, ok := s.Locate([]byte("row"))
		require.True(t, ok)
		require.Zero(t, i)
		require.Equal(t, []int{0}, s.Prune([]RowRange{{}}))
		data, err := s.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, `{"method":0}`, string(data))
		_, ok = s.Ordinal("p0")
		require.False(t, ok)
	}
}

func TestOrdered(t *testing.T) {
	require.True(t, newKey(t, 1).Ordered())
	require.False(t, newKey(t, 2).Ordered())
	require.False(t, newPrefixKey(t, 2, 9).Ordered())
	require.True(t, newRange(t, "a", "b").Ordered())
}

// TestStored pins down the stored form, which is an on-disk format.
func TestStored(t *testing.T) {
	for i, want := range []string{
		`{"method":0}`,
		`{"method":1,"n":1}`,
		`{"method":1,"n":7}`,
		`{"method":2,"n":7,"prefix":1}`,
		`{"method":2,"n":7,"prefix":2}`,
		`{"method":2,"n":8,"prefix":2}`,
		`{"method":3,"n":1,"names":["r0"],"upper":["Yg=="]}`,
		`{"method":3,"n":1,"names":["r0"],"upper":["Yw=="]}`,
		`{"method":3,"n":1,"names":["r0"],"upper":[null]}`,
		`{"method":3,"n":1,"names":["r0"],"upper":[""]}`,
		`{"method":3,"n":2,"names":["r0","r1"],"upper":["Yg==","ZA=="]}`,
		`{"method":3,"n":2,"names":["r0","r1"],"upper":["Yg==",null]}`,
		`{"method":3,"n":5,"names":["r0","r1","r2","r3","r4"],"upper":["","AA==","AP8=","/w==",null]}`,
	} {
		s := schemes(t)[i]
		data, err := json.Marshal(s)
		require.NoError(t, err)
		require.Equal(t, want, string(data))
		var back Scheme
		require.NoError(t, json.Unmarshal(data, &back))
		require.True(t, s.Equal(&back), want)
		require.Equal(t, *s, back)
	}
}

func TestStoredErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"method":9}`:          "unknown method 9",
		`{"method":1}`:          ErrNoPartitions.Error(),
		`{"method":1,"n":9000}`: ErrTooMany.Error(),
		`{"method":2,"n":3}`:    ErrPrefixLength.Error(),
		`{"method":3,"n":1,"names":["a","b"],"upper":["Yg=="]}`:  "as many names",
		`{"method":3,"names":["a","b"],"upper":["Yg==","Yg=="]}`: ErrNotIncreasing.Error(),
		`{"method":3,"names":["a","a"],"upper":["Yg==","Yw=="]}`: ErrDuplicateName.Error(),
		`{"method":-1}`: "cannot unmarshal",
		`[]`:            "cannot unmarshal",
	} {
		var s Scheme
		require.ErrorContains(t, json.Unmarshal([]byte(text), &s), want, text)
		require.Equal(t, Scheme{}, s, "unchanged")
	}
}

func FuzzStored(f *testing.F) {
	for _, s := range schemes(f) {
		data, err := json.Marshal(s)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var s, back Scheme
		if json.Unmarshal(data, &s) != nil {
			return
		}
		stored, err := json.Marshal(&s)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(stored, &back))
		require.True(t, s.Equal(&back))
	})
}

// TestConstructorCopies requires that the caller may change the lists after the call.
func TestConstructorCopies(t *testing.T) {
	names, upper := []string{"a", "b"}, bytesOf("k", "MAXVALUE")
	s, err := NewRange(names, upper)
	require.NoError(t, err)
	names[0], upper[0] = "z", []byte("z")
	slices.Reverse(upper)
	require.Equal(t, "a", s.Name(0))
	require.Equal(t, "k", strings.ToLower(string(s.Bounds(0).End)))
}
