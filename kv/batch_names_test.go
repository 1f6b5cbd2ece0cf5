package kv

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// drawQualifiers returns different qualifiers of all lengths, many of which differ in one byte.
func drawQualifiers(r *rand.Rand, n int) (out [][]byte) {
	for known := map[string]bool{}; len(out) < n; {
		q := bytes.Repeat([]byte{byte(r.IntN(2))}, r.IntN(20))
		if len(q) > 0 {
			q[r.IntN(len(q))] = byte(r.IntN(256))
		}
		if !known[string(q)] {
			known[string(q)] = true
			out = append(out, q)
		}
	}
	return out
}

// Cells of a batch have the same code if they have the same qualifier, or none has a code.
func TestQualifierCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	b := Batch{Shares: true}
	for _, n := range []int{1, 3, maxNames, maxNames + 1, 900, 20} {
		different := drawQualifiers(r, n)
		var want [][]byte
		for i := range 2000 {
			q := different[i%n]
			if i >= n {
				q = different[r.IntN(n)]
			}
			want = append(want, q)
			if q = bytes.Clone(q); i > 0 && i%3 > 0 {
				b.AddInRow(q, 0, nil)
			} else {
				b.Add(0, fmt.Append(nil, i), q, 0, nil)
			}
			clear(q)
		}
		require.Equal(t, want, b.Qualifiers(), "%d qualifiers", n)
		requireCodes(t, &b, n)
		b.Reset()
	}
}

func requireCodes(t *testing.T, b *Batch, n int) {
	codes := b.QualifierCodes()
	if n > maxNames {
		require.Nil(t, codes, "%d qualifiers", n)
		return
	}
	require.Len(t, codes, b.Len())
	byCode := map[int32]string{}
	for i, q := range b.Qualifiers() {
		require.Less(t, codes[i], int32(n))
		if before, ok := byCode[codes[i]]; ok {
			require.Equal(t, before, string(q))
		}
		byCode[codes[i]] = string(q)
	}
	require.Len(t, byCode, n)
}

// A batch without Shares, or with unread qualifiers, has no codes.
func TestNoQualifierCodes(t *testing.T) {
	for _, b := range []Batch{{}, {Shares: true, Unread: PartQualifier}} {
		require.Empty(t, b.QualifierCodes())
		b.Add(0, []byte("k"), []byte("q"), 0, nil)
		require.Nil(t, b.QualifierCodes())
	}
}
