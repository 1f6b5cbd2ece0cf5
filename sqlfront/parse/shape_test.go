package parse_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

func shapeOf(t *testing.T, sql string) (lex.Shape, bool) {
	text, err := lex.Lex(context.Background(), sql, nil)
	require.NoError(t, err)
	return text.Shape() // not released: the test keeps it
}

// TestShapeOf: texts that differ only in the values of literals have one shape.
func TestShapeOf(t *testing.T) {
	shape := func(sql string) lex.Shape {
		s, ok := shapeOf(t, sql)
		require.True(t, ok, sql)
		return s
	}
	of := shape("SELECT V FROM t WHERE K = 'a' AND T = 5")
	require.Equal(t, []string{"'a'", "5"}, []string{of.Slots[0].Text, of.Slots[1].Text})
	for _, same := range []string{
		"SELECT V FROM t WHERE K = '' AND T = 18446744073709551616",
		`SELECT V FROM t WHERE K = 'it''s \' ?' AND T = 007`,
		`SELECT V FROM t WHERE K = "-- no comment" AND T = 0`,
	} {
		require.Equal(t, of.Key, shape(same).Key, same)
	}
	for _, other := range []string{
		"SELECT V FROM t WHERE K = 'a' AND T = -5",
		"SELECT V FROM t WHERE K = 'a' AND T = 5.0",
		"SELECT V FROM t WHERE K = X'61' AND T = 5",
		"SELECT V FROM t WHERE K = _binary'a' AND T = 5",
		"SELECT V FROM t WHERE K = N'a' AND T = 5",
		"SELECT V FROM t WHERE K = b'1' AND T = 5",
		"SELECT V FROM t WHERE K = 'a' 'b' AND T = 5",
		"SELECT V FROM t WHERE K = 'a' AND T = 5 ",
		"SELECT V FROM t WHERE K = 'a' /* 1 */ AND T = 5",
		"SELECT V FROM u WHERE K = 'a' AND T = 5",
	} {
		require.NotEqual(t, of.Key, shape(other).Key, other)
	}
	for _, none := range []string{"", "SELECT K FROM t", "SELECT 'a", "SELECT /*! 1 */ 2", "SELECT `\x00`, 1",
		"SELECT '\x00'"} {
		_, ok := shapeOf(t, none)
		require.False(t, ok, none)
	}
}

// TestSlots: a slot's text alone gives the same value as in the tree.
func TestSlots(t *testing.T) {
	for text, want := range map[string]string{
		"'it''s'": "it's", `'a\0b'`: "a\x00b", `"q""q"`: `q"q`, "X'6162'": "ab", "0x61": "a", "b'01100001'": "a",
		"_binary'a'": "a", "N'a'": "a", "_utf8mb4 'a'": "a",
	} {
		shape, ok := shapeOf(t, "SELECT "+text)
		require.True(t, ok, text)
		require.False(t, shape.Slots[0].IsNumber())
		require.Equal(t, want, string(shape.Slots[0].Append(nil)), text)
		require.Equal(t, text[0] == '_' && text[1] == 'b' || text[0] == 'X' || text[0] == '0' || text[0] == 'b',
			shape.Slots[0].Kind() == ast.LitBytes, text)
	}
}

// FuzzShapeOf looks for texts whose literals are not what is between the parts of the key.
func FuzzShapeOf(f *testing.F) {
	f.Add("SELECT V FROM t WHERE K = 'a' AND T IN (5, -6e1, X'00', _binary 'a')")
	f.Fuzz(func(t *testing.T, sql string) {
		shape, ok := shapeOf(t, sql)
		if !ok {
			return
		}
		for i := range shape.Slots {
			if !shape.Slots[i].IsNumber() {
				_ = shape.Slots[i].Append(nil)
			}
		}
		again, ok := shapeOf(t, sql)
		require.True(t, ok)
		require.Equal(t, shape, again)
	})
}
