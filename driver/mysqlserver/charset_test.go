package mysqlserver

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// columnOf is the collation and the length of the only column of a result whose first packet
// was read, and its row.
func (w *wild) columnOf(first []byte) (collation uint16, length uint32, row string) {
	w.t.Helper()
	require.EqualValues(w.t, 1, first[0], "%q", first)
	column := w.get()
	f := fields{rest: column}
	for range 6 {
		f.lenencBytes()
	}
	require.EqualValues(w.t, 12, f.byte())
	collation, length = f.uint16(), f.uint32()
	row = string(w.get()[1:])
	require.EqualValues(w.t, eofHeader, w.get()[0])
	return collation, length, row
}

// TestCharacterSets: texts are in the client's character set, both ways, and columns say so.
func TestCharacterSets(t *testing.T) {
	socket, db := serveWild(t, Options{})
	_, err := db.Exec("CREATE TABLE t (K varbinary(80), Q varbinary(8), T bigint, V varbinary(80), PRIMARY KEY (K, Q, T))")
	require.NoError(t, err)
	w := dial(t, socket)
	w.login(wildCaps)
	for _, each := range []struct {
		names, text string
		collation   uint16
		length      uint32
	}{
		{"utf8mb4", "h\u00e9", 45, 4 * 20}, {"utf8", "h\u00e9", 33, 3 * 20}, {"utf8mb3", "h\u00e9", 33, 3 * 20},
		{"latin1", "h\xe9", 8, 20}, {"cp1251", "\xcf\xf0", 51, 20}, {"euckr", "\xb0\xa1", 19, 2 * 20}, {"binary", "h\xe9", 45, 4 * 20},
	} {
		require.EqualValues(t, okHeader, w.say(comQuery, "SET NAMES "+each.names)[0])
		collation, length, row := w.columnOf(w.say(comQuery, "SELECT CAST('"+each.text+"' AS CHAR(20))"))
		require.Equal(t, each.text, row)
		require.Equal(t, each.collation, collation, each.names)
		require.Equal(t, each.length, length, each.names)
		require.EqualValues(t, okHeader, w.say(comQuery, "REPLACE INTO t VALUES ('"+each.text+"', 'q', 1, '"+each.text+"')")[0])
		collation, length, row = w.columnOf(w.say(comQuery, "SELECT V FROM t WHERE K = '"+each.text+"'"))
		require.Equal(t, each.text, row)
		require.EqualValues(t, binaryCollation, collation)
		require.EqualValues(t, 80, length)
	}
	for statement, want := range map[string]uint16{"SET NAMES gbk": 1235, "SET character_set_client = 'sjis'": 1235, "SET CHARACTER SET big5": 1235,
		"SET NAMES ucs2": 1231, "SET character_set_client = utf16": 1231, "SET NAMES klingon": 1115} {
		require.Equal(t, want, number(t, w.say(comQuery, statement)), statement)
	}
	require.EqualValues(t, okHeader, w.say(comQuery, "SET character_set_results = gbk")[0])
	require.EqualValues(t, okHeader, w.say(comQuery, "SET character_set_results = NULL")[0])
	collation, _, _ := w.columnOf(w.say(comQuery, "SELECT 'a'"))
	require.EqualValues(t, defaultCollation, collation)
	require.EqualValues(t, okHeader, w.say(comQuery, "SET NAMES latin1")[0])
	collation, _, _ = w.columnOf(w.say(comQuery, "SELECT 'a'"))
	require.EqualValues(t, 8, collation)
	require.EqualValues(t, okHeader, w.command(comResetConnection)[0])
	collation, _, _ = w.columnOf(w.say(comQuery, "SELECT 'a'"))
	require.EqualValues(t, defaultCollation, collation)
}

// TestCharacterSetOfTheGreeting: who greets with a character set speaks it, and is sent away where
// what it escapes would be read otherwise.
func TestCharacterSetOfTheGreeting(t *testing.T) {
	s := patientServer(t, Options{})
	for collation, want := range map[byte]string{8: "latin1", 33: "utf8", 45: "utf8mb4", 224: "utf8mb4", 255: "utf8mb4", 35: "utf8mb4", 252: "utf8mb4"} {
		client := s.from(t, true)
		hello := helloOf(wildCaps, "eve", rights.NativePassword, nil, "")
		hello[8] = collation
		client.payloads = [][]byte{hello, append([]byte{comQuery}, "SELECT CONCAT('<', @@character_set_client, '>')"...)}
		client.conn.serve()
		require.Contains(t, client.received.String(), "<"+want+">", collation)
	}
	for _, collation := range []byte{1, 13, 28, 84, 87, 95, 248} {
		client := s.from(t, true)
		hello := helloOf(wildCaps, "eve", rights.NativePassword, nil, "")
		hello[8] = collation
		client.payloads = [][]byte{hello, {comPing}}
		client.conn.serve()
		answer := client.received.Bytes()
		require.Contains(t, string(answer), "character_set_client", collation)
		at := len(answer) - len(answer[4+int(answer[0]):])
		require.EqualValues(t, 1235, binary.LittleEndian.Uint16(answer[at+5:]))
	}
}
