package mysqlserver

import (
	"strings"
	"sync"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// wireType is a type's number.
type wireType byte

const (
	typeDecimal    wireType = 0
	typeTiny       wireType = 1
	typeShort      wireType = 2
	typeLong       wireType = 3
	typeFloat      wireType = 4
	typeDouble     wireType = 5
	typeNull       wireType = 6
	typeTimestamp  wireType = 7
	typeLongLong   wireType = 8
	typeInt24      wireType = 9
	typeDate       wireType = 10
	typeTime       wireType = 11
	typeDateTime   wireType = 12
	typeYear       wireType = 13
	typeVarChar    wireType = 15
	typeBit        wireType = 16
	typeJSON       wireType = 245
	typeNewDecimal wireType = 246
	typeEnum       wireType = 247
	typeSet        wireType = 248
	typeTinyBlob   wireType = 249
	typeMediumBlob wireType = 250
	typeLongBlob   wireType = 251
	typeBlob       wireType = 252
	typeVarString  wireType = 253
	typeString     wireType = 254
)

// Flags of a column.
const (
	flagNotNull  = 0x0001
	flagPrimary  = 0x0002
	flagBlob     = 0x0010
	flagUnsigned = 0x0020
	flagBinary   = 0x0080
	flagNeeded   = 0x1000 // it has no default
	flagPartKey  = 0x4000
)

// Numbers of collations.
const (
	defaultCollation = 45 // utf8mb4_general_ci
	utf8Collation    = 33
	binaryCollation  = 63
)

// notFixed is the decimals of a type that has none.
const notFixed = 31

// wireColumn is a column's type as it is sent.
type wireColumn struct {
	typ       wireType
	collation uint16
	length    uint32
	flags     uint16
	decimals  byte
	// from and to are what texts are converted from and to; nil is UTF-8.
	from, to *encoding
}

// bytesOfCharacter is how long a character may be.
const bytesOfCharacter = 4

// longest are the lengths of the types that have none of their own.
var longest = map[string]uint32{
	"TINY": 1<<8 - 1, "": 1<<16 - 1, "MEDIUM": 1<<24 - 1, "LONG": 1<<32 - 1,
}

func (c *conn) wireColumn(col *sqlfront.Column, source *encoding) wireColumn {
	w := typed(col.Type)
	if w.collation != binaryCollation {
		c.inTexts(&w, col, source)
	}
	if !col.Type.Nullable {
		w.flags |= flagNotNull
	}
	if col.OrgTable != "" {
		w.ofTable(col)
	}
	return w
}

// ofTable is what more there is of a column of a table.
func (w *wireColumn) ofTable(col *sqlfront.Column) {
	if col.Key {
		w.flags |= flagPrimary | flagPartKey
	}
	if !col.Type.Nullable && !col.Generated {
		w.flags |= flagNeeded
	}
	if col.Type.Kind.IsNumber() {
		w.flags &^= flagBinary
	}
}

// texts is what the client's texts are in, as the variables of the session say.
type texts struct {
	// collation and bytesCharacter are those of results.
	collation      uint16
	bytesCharacter uint32
	// client is of what it sends, connection of the strings of its statements, results of
	// what it gets.
	client, connection, results *encoding
	asTheyAre                   bool   // results are in no character set
	settled                     uint64 // as of when
}

// inTexts makes a column one of the client's texts. source is what expressions are in.
func (c *conn) inTexts(w *wireColumn, col *sqlfront.Column, source *encoding) {
	t := c.spoken()
	w.collation = t.collation
	if w.typ == typeVarString && w.length != longest[""] {
		w.length = w.length / bytesOfCharacter * t.bytesCharacter
	}
	// Else it comes from a view, or the catalog, or was made a text of its character set.
	if w.to = t.results; col.OrgTable == "" && col.Type.Charset == "" {
		w.from = source
	}
	if w.from == w.to {
		w.from, w.to = nil, nil
	}
}

// source is what the texts of a statement's expressions are in: those that the server makes
// are UTF-8, the others what the strings of the statement are in.
func (c *conn) source(st *sqlfront.Statement) *encoding {
	if t := c.spoken(); !t.asTheyAre && st.Kind != metrics.KindShow {
		return t.connection
	}
	return nil
}

// spoken are the client's texts as they are now.
func (c *conn) spoken() *texts {
	if now := c.session.Settled(); c.texts.collation == 0 || c.texts.settled != now {
		results := c.variable("character_set_results")
		c.texts = textsIn(results)
		c.texts.settled = now
		c.texts.client = encodings()[strings.ToLower(c.variable("character_set_client"))]
		c.texts.connection = encodings()[strings.ToLower(c.variable("character_set_connection"))]
		c.texts.results = encodings()[strings.ToLower(results)]
		c.texts.asTheyAre = results == "" || strings.EqualFold(results, "NULL") || strings.EqualFold(results, "binary")
	}
	return &c.texts
}

// textsIn is what there is of a character set; what is none leaves texts as they are.
func textsIn(name string) texts {
	for _, set := range charset.All() {
		if strings.EqualFold(set.Name, name) && set.Name != "binary" {
			return texts{collation: uint16(set.Collations[0].ID), bytesCharacter: uint32(set.MaxLen)}
		}
	}
	if strings.EqualFold(name, "utf8mb3") {
		return textsIn("utf8")
	}
	return texts{collation: defaultCollation, bytesCharacter: bytesOfCharacter}
}

// typed is what a type is on the wire.
func typed(t value.Type) wireColumn {
	w := wireColumn{collation: binaryCollation, flags: flagBinary, length: uint32(t.Length)}
	switch t.Kind {
	case value.Int, value.Uint:
		typedInteger(&w, t)
	case value.Float:
		w.typ, w.length, w.decimals = typeDouble, 23, notFixed
	case value.Decimal:
		w.typ, w.decimals = typeNewDecimal, byte(max(t.Decimals, 0))
		w.length = uint32(t.Precision() + 1) // the sign, and the point
		if w.decimals > 0 {
			w.length++
		}
	case value.Date:
		w.typ, w.length = typeDate, 10
	case value.Time:
		w.typ, w.length, w.decimals = typeTime, 10+fraction(t), byte(t.Decimals)
	case value.DateTime:
		w.typ, w.length, w.decimals = typeDateTime, 19+fraction(t), byte(t.Decimals)
	case value.JSON:
		w.typ, w.length, w.flags = typeJSON, longest["LONG"], flagBinary|flagBlob
	case value.Null:
		w.typ, w.length = typeNull, 0
	default:
		typedString(&w, t)
	}
	return w
}

func fraction(t value.Type) uint32 {
	if t.Decimals > 0 {
		return uint32(t.Decimals) + 1
	}
	return 0
}

func typedInteger(w *wireColumn, t value.Type) {
	w.typ = typeLongLong
	if strings.HasSuffix(t.Name, "INT") && !strings.HasSuffix(t.Name, "BIGINT") {
		w.typ = typeLong
	}
	if t.Kind == value.Uint || strings.HasPrefix(t.Name, "UNSIGNED") {
		w.flags |= flagUnsigned
	}
	switch {
	case w.length > 0:
	case w.typ == typeLong:
		w.length = 11
	default:
		w.length = 21
	}
}

func typedString(w *wireColumn, t value.Type) {
	w.typ, w.decimals = typeVarString, notFixed
	characters := t.Kind == value.Text
	if characters {
		w.collation, w.flags = defaultCollation, 0
	}
	name := strings.ToUpper(t.Name)
	large, ok := strings.CutSuffix(name, "BLOB")
	if !ok {
		large, ok = strings.CutSuffix(name, "TEXT")
	}
	if ok {
		w.typ, w.decimals, w.length = typeBlob, 0, longest[large]
		w.flags |= flagBlob
		return
	}
	switch {
	case t.Length <= 0:
		w.length = longest[""]
	case characters:
		w.length = uint32(t.Length) * bytesOfCharacter
	}
	if t.Length > 0 && w.flags&flagBinary != 0 {
		w.decimals = 0
	}
}

// appendColumn writes the description of a column.
func (c *conn) appendColumn(b []byte, col *sqlfront.Column, w *wireColumn) []byte {
	to := c.spoken().results
	b = packet.AppendString(b, "def")
	for _, name := range []string{col.Database, col.Table, col.OrgTable, col.Name, col.OrgName} {
		b = packet.AppendString(b, to.encodeString(name))
	}
	b = append(b, 12)
	b = packet.AppendUint16(b, w.collation)
	b = packet.AppendUint32(b, w.length)
	b = append(b, byte(w.typ))
	b = packet.AppendUint16(b, w.flags)
	return append(b, w.decimals, 0, 0)
}

// collations are the statements that begin a connection, by a collation's number.
var collations = sync.OnceValue(func() map[uint16]string {
	out := map[uint16]string{}
	charset.EachCollation(func(set string, c charset.Collation, _ bool) {
		out[uint16(c.ID)] = "SET NAMES " + set + " COLLATE " + c.Name
	})
	return out
})

// setNames is the statement for a client that greets with a collation, empty where
// that is the default, that of MySQL 8's clients, or none that there is.
func setNames(collation uint16) string {
	if collation == defaultCollation || collation == 255 {
		return ""
	}
	return collations()[collation]
}
