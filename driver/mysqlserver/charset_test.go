package mysqlserver

import (
	"encoding/binary"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/wire"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// columnOf returns the collation and the length of the only column of a result whose first
// packet was read, and its row.
func (w *wild) columnOf(first []byte) (collation uint16, length uint32, row string) {
	w.t.Helper()
	require.EqualValues(w.t, 1, first[0], "%q", first)
	column := w.get()
	f := packet.Fields{Rest: column}
	for range 6 {
		f.LenencBytes()
	}
	require.EqualValues(w.t, 12, f.Byte())
	collation, length = f.Uint16(), f.Uint32()
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
		require.EqualValues(t, wire.BinaryCollation, collation)
		require.EqualValues(t, 80, length)
	}
	for statement, want := range map[string]uint16{"SET NAMES gbk": 1235, "SET character_set_client = 'sjis'": 1235, "SET CHARACTER SET big5": 1235,
		"SET NAMES ucs2": 1231, "SET character_set_client = utf16": 1231, "SET NAMES klingon": 1115} {
		require.Equal(t, want, number(t, w.say(comQuery, statement)), statement)
	}
	require.EqualValues(t, okHeader, w.say(comQuery, "SET character_set_results = gbk")[0])
	require.EqualValues(t, okHeader, w.say(comQuery, "SET character_set_results = NULL")[0])
	collation, _, _ := w.columnOf(w.say(comQuery, "SELECT 'a'"))
	require.EqualValues(t, wire.DefaultCollation, collation)
	require.EqualValues(t, okHeader, w.say(comQuery, "SET NAMES latin1")[0])
	collation, _, _ = w.columnOf(w.say(comQuery, "SELECT 'a'"))
	require.EqualValues(t, 8, collation)
	require.EqualValues(t, okHeader, w.command(comResetConnection)[0])
	collation, _, _ = w.columnOf(w.say(comQuery, "SELECT 'a'"))
	require.EqualValues(t, wire.DefaultCollation, collation)
}

// TestCharacterSetOfTheGreeting: the character set of a client's greeting applies, and a client is
// refused if its escapes would be read differently.
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

// TestEncodings: each byte is preserved in a text, whatever character it is.
func TestEncodings(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for name, e := range wire.Encodings() {
		text := e.Decode(all)
		require.True(t, utf8.Valid(text), name)
		require.Equal(t, all, e.Encode(text), name)
	}
	require.Equal(t, "\u20ac\u0081\u00e9", string(wire.Encodings()["latin1"].Decode([]byte("\x80\x81\xe9"))))
	require.Equal(t, "\u0436", string(wire.Encodings()["cp1251"].Decode([]byte("\xe6"))))
	require.Equal(t, "a?\xffb", string(wire.Encodings()["ascii"].Encode([]byte("a\u00e9\xffb"))))
}

// TestTextsAreConverted: names, messages and the catalog are UTF-8, which clients send and
// receive in their own character set; strings in statements keep their bytes where they meet
// bytes. The answers are MariaDB's, except for the names of databases.
func TestTextsAreConverted(t *testing.T) {
	socket, db := serveWild(t, Options{})
	_, err := db.Exec("CREATE TABLE t (K varbinary(80), Q varbinary(8), T bigint, V varbinary(80), PRIMARY KEY (K, Q, T))")
	require.NoError(t, err)
	w := dial(t, socket)
	w.login(wildCaps)
	say := func(statement string) []byte { return w.say(comQuery, statement) }
	done := func(statement string) { t.Helper(); require.EqualValues(t, okHeader, say(statement)[0], statement) }
	one := func(statement string) string {
		t.Helper()
		_, _, row := w.columnOf(say(statement))
		return row
	}
	done("SET NAMES latin1")
	done("REPLACE INTO t VALUES ('k\xe9', 'q', 1, _binary'\xff\xe9\x81'), (x'C3A9', 'r', 1, 'v')")
	require.Equal(t, "\xff\xe9\x81", one("SELECT V FROM t WHERE K = 'k\xe9'"))
	require.Equal(t, "6BE9", one("SELECT HEX(K) FROM t WHERE V = _binary'\xff\xe9\x81'"))
	require.Equal(t, "C3A9", one("SELECT HEX(_utf8 x'C3A9')"))
	require.Equal(t, "\xe9", one("SELECT _utf16 x'00E9'"))
	require.Equal(t, "\xe9?", one("SELECT CONVERT(x'E9C3' USING cp1250)"))
	require.Equal(t, "\xe9", one("SELECT CONVERT('\xe9' USING latin1)"))
	require.Equal(t, "E9", one("SELECT HEX(CONVERT('\xe9' USING latin1))"))
	done("CREATE VIEW `sj\xf6` AS SELECT 'h\xe9' AS `c\xe9`, CONVERT(K USING utf8) AS k FROM t WHERE Q = 'r'")
	require.Equal(t, "h\xe9", one("SELECT `c\xe9` FROM `sj\xf6`"))
	require.Equal(t, "\xe9", one("SELECT k FROM `sj\xf6`"))
	require.Equal(t, "sj\xf6", one("SELECT TABLE_NAME FROM information_schema.VIEWS"))
	require.Equal(t, "sj\xf6", one("SHOW TABLES LIKE 'sj\xf6'"))
	require.Contains(t, string(say("SELECT * FROM `n\xe9`")), "n\xe9' doesn't exist")
	require.EqualValues(t, 1, say("SELECT 'h\xe9'")[0])
	require.Contains(t, string(w.get()), "\x02h\xe9", "the label of a string")
	require.Equal(t, "\x02h\xe9", string(w.get()))
	w.get()

	done("SET character_set_results = utf8mb4")
	require.Equal(t, "\xc3\xa9", one("SELECT '\xe9'"))
	require.Equal(t, "h\u00e9", one("SELECT `c\xe9` FROM `sj\xf6`"))
	require.Equal(t, "k\xe9", one("SELECT K FROM t WHERE Q = 'q'"))
	done("SET character_set_results = NULL")
	require.Equal(t, "\xe9", one("SELECT '\xe9'"))
	done("SET character_set_results = ascii")
	require.Equal(t, "?", one("SELECT '\xe9'"))
	require.Equal(t, "h?", one("SELECT `c\xe9` FROM `sj\xf6`"))
	done("SET NAMES utf8mb4")
	require.Equal(t, "h\u00e9", one("SELECT `c\u00e9` FROM `sj\u00f6`"))
	done("SET character_set_client = latin1")
	require.Equal(t, "C3A9", one("SELECT HEX('\xe9')"))
	require.Equal(t, "E9", one("SELECT HEX(_binary'\xe9')"))
	done("SET NAMES cp1251")
	require.Equal(t, "E6", one("SELECT HEX('\xe6')"))
}
