package recode

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestEachByteOfASetOfBytesComesBack(t *testing.T) {
	for _, name := range Singles() {
		set := Find(name)
		require.True(t, set.Single(), name)
		for b := range 256 {
			r, size := set.Next([]byte{byte(b), 'x'})
			require.Equal(t, 1, size)
			if r < 0 {
				require.GreaterOrEqual(t, b, utf8.RuneSelf, name)
				continue
			}
			require.Equal(t, []byte{byte(b)}, set.Append(nil, r), "%s %x", name, b)
		}
		require.Equal(t, "?", string(set.Append(nil, '😀')), name)
		require.Equal(t, "a?", string(set.AppendText(set.AppendText(nil, 'a'), '😀')), name)
	}
}

func TestEachCharacterOfUnicodeComesBack(t *testing.T) {
	for _, name := range []string{"utf8", "utf8mb3", "utf8mb4", "ucs2", "utf16", "utf16le", "utf32"} {
		set := Find(name)
		for r := rune(0); r <= utf8.MaxRune; r++ {
			want := r
			if r > 0xFFFF && (set.Name == "utf8" || set.Name == "ucs2") {
				want = '?'
			}
			b := set.Append(nil, r)
			got, size := set.Next(append(b, "tail"...))
			if utf8.ValidRune(r) && (got != want || size != len(b)) {
				t.Fatalf("%s: %x is %x, in %d bytes of %d", name, r, got, size, len(b))
			}
		}
	}
}

func TestBytesThatAreNoCharacter(t *testing.T) {
	for _, c := range []struct {
		set   string
		bytes string
		size  int
	}{
		{"utf8mb4", "\xff", 1}, {"utf8mb4", "\xe2\x82", 1}, {"utf8", "\xf0\x9f\x98\x80", 1}, {"ascii", "\x80", 1},
		{"ucs2", "\xd8\x00", 2}, {"ucs2", "\xd8\x3d\xde\x00", 2}, {"ucs2", "\x00", 1}, {"utf16", "\xd8\x00", 2},
		{"utf16", "\xd8\x00\x00\x41", 2}, {"utf16", "\xdc\x00\xd8\x00", 2}, {"utf16le", "\x00\xd8\x41\x00", 2},
		{"utf16", "\xd8\x00\xdc", 3}, {"utf32", "\x00\x11\x00\x00", 4}, {"utf32", "\x00\x00\xd8\x00", 4},
		{"utf32", "\xff\xff\xff\xff", 4}, {"utf32", "\x00\x00", 2},
	} {
		r, size := Find(c.set).Next([]byte(c.bytes))
		require.Negative(t, r, "%s %x", c.set, c.bytes)
		require.Equal(t, c.size, size, "%s %x", c.set, c.bytes)
	}
}

func TestWhole(t *testing.T) {
	require.Equal(t, "\x00A", string(Find("ucs2").Whole([]byte("A"))))
	require.Equal(t, "\x00\x00\x00A", string(Find("utf32").Whole([]byte("A"))))
	require.Equal(t, "ABCD", string(Find("utf32").Whole([]byte("ABCD"))))
	require.Equal(t, "\x00\x00\x00ABCDE", string(Find("utf32").Whole([]byte("ABCDE"))))
	require.Equal(t, "é", string(Find("LATIN1").Whole([]byte("é"))))
	require.Empty(t, Find("utf16").Whole(nil))
	require.Nil(t, Find("big5"))
	require.Nil(t, Find(""))
}
