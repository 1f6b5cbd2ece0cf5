package typed

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// keyOfTexts is the key of an index over a text of the default collation, a number and a char.
func keyOfTexts(t *testing.T, texts bool) *IndexKey {
	face := &Table{Columns: []Column{{Name: "id", Type: coltype.Type{Base: coltype.Int}}, {Name: "a", Type: coltype.Type{Base: coltype.VarChar, Length: 20}},
		{Name: "n", Type: coltype.Type{Base: coltype.Int}}, {Name: "c", Type: coltype.Type{Base: coltype.Char, Length: 9}}}, Key: []int{0}}
	face.Indexes = []Index{{Name: "i", Texts: texts, Parts: []IndexPart{{Column: 1}, {Column: 2}, {Column: 3}, {Column: 1, Length: 2}}}}
	require.NoError(t, face.Settle())
	k, err := face.IndexKey(0)
	require.NoError(t, err)
	return k
}

// TestKeptTexts writes texts into the values of entries and reads them back, and refuses other bytes.
func TestKeptTexts(t *testing.T) {
	k := keyOfTexts(t, true)
	require.Equal(t, []bool{true, true, true, false}, []bool{k.Holds(0), k.Holds(1), k.Holds(2), k.Holds(3)})
	for _, values := range [][]value.Value{
		{value.NewInt(1), value.NewString("Straße"), value.NewInt(2), value.NewString("")}, {value.NewInt(1), {}, {}, {}},
	} {
		b := k.appendKept(values)
		tuple := make([]value.Value, 4)
		require.True(t, k.ReadKept(b, tuple))
		require.Equal(t, values[1].IsNull(), tuple[0].IsNull())
		require.Equal(t, values[1].String(), tuple[0].String())
		require.Equal(t, values[3].String(), tuple[2].String())
		for n := range b {
			require.False(t, k.ReadKept(b[:n], tuple), n)
		}
		require.False(t, k.ReadKept(append(b, 0), tuple))
	}
	require.False(t, k.ReadKept([]byte{3, 0xff, 0xff, 0}, make([]value.Value, 4)), "no UTF-8")
}

// TestEntriesWithoutTexts: the entries of an older version have no texts.
func TestEntriesWithoutTexts(t *testing.T) {
	k := keyOfTexts(t, false)
	require.False(t, k.Holds(0))
	require.True(t, k.Holds(1))
	require.Empty(t, k.appendKept(make([]value.Value, 4)))
}
