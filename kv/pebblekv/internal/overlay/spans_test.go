package overlay

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// TestOverlayDeletedSpans deletes spans, extends and undoes the last ones, and compares what is deleted with a set of
// keys, also what readers saw before.
func TestOverlayDeletedSpans(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	db := openDB(t)
	for range 200 {
		o := newOverlay(db)
		keys := 10 + r.IntN(60)
		gone, marks := [][]bool{make([]bool, keys)}, []int{0}
		type seen struct {
			writes *Writes
			want   []bool
		}
		var readers []seen
		for range 40 {
			n := len(gone) - 1
			switch from := r.IntN(keys); r.IntN(5) {
			case 0:
				if n > 0 {
					n = r.IntN(n)
					o.Undo(marks[n])
					gone, marks = gone[:n+1], marks[:n+1]
				}
			case 1:
				if w := o.Writes(); w != nil {
					readers = append(readers, seen{w, gone[n]})
				}
			case 2:
				if n > 0 {
					o.settleDeletions()
					d := o.deletions[len(o.deletions)-1].Span
					for from < keys && bytes.Compare(testKey(from), d.Upper) < 0 {
						from++
					}
					if o.ExtendDeletion(testKey(from)) {
						gone[n] = withKeys(gone[n], keyNumber(t, d.Lower), from)
					}
				}
			default:
				to := from + 1 + r.IntN(keys-from)
				o.DeleteSpans([]cellkey.Span{{Lower: testKey(from), Upper: testKey(to)}})
				gone, marks = append(gone, withKeys(gone[n], from, to)), append(marks, o.Len())
			}
			requireGone(t, gone[len(gone)-1], o.Deleted())
		}
		for _, s := range readers {
			requireGone(t, s.want, s.writes.Deleted())
			s.writes.Release()
		}
		require.NoError(t, o.Close())
	}
}

func keyNumber(t *testing.T, key []byte) (n int) {
	_, err := fmt.Sscanf(string(key), "key%d", &n)
	require.NoError(t, err)
	return n
}

func withKeys(set []bool, from, to int) []bool {
	set = slices.Clone(set)
	for i := from; i < to; i++ {
		set[i] = true
	}
	return set
}

// requireGone requires that exactly the keys of a set are in the spans, which are sorted and do not touch.
func requireGone(t *testing.T, want []bool, spans []cellkey.Span) {
	for i := range want {
		require.Equal(t, want[i], SpanOver(spans, testKey(i)) != nil, i)
	}
	for i := range spans[:max(0, len(spans)-1)] {
		require.Negative(t, bytes.Compare(spans[i].Upper, spans[i+1].Lower))
	}
}

// TestOverlayDeletedSpansInOrder requires that spans that come in order, as those of a scan, leave little garbage.
func TestOverlayDeletedSpansInOrder(t *testing.T) {
	o := newOverlay(openDB(t))
	defer func() { require.NoError(t, o.Close()) }()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range 3000 {
		o.DeleteSpans([]cellkey.Span{{Lower: testKey(3 * i), Upper: testKey(3*i + 1)}})
		require.True(t, o.ExtendDeletion(testKey(3*i+2)))
		require.Len(t, o.Deleted(), i+1)
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
}
