package mysqlserver

import (
	"strings"
	"sync"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/wire"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
)

func (c *conn) wireColumn(col *sqlfront.Column, source *wire.Encoding) wire.Column {
	w := wire.NewColumn(col.Type)
	if w.Collation != wire.BinaryCollation {
		c.inTexts(&w, col, source)
	}
	if !col.Type.Nullable {
		w.Flags |= wire.FlagNotNull
	}
	if col.OrgTable != "" {
		w.OfTable(col)
	}
	return w
}

// texts are the character sets of the client's texts, as the session's variables say.
type texts struct {
	// collation and bytesCharacter are of results.
	collation      uint16
	bytesCharacter uint32
	// client is for what it sends, connection for the strings in its statements, results
	// for what it receives.
	client, connection, results *wire.Encoding
	asTheyAre                   bool   // results are not converted
	settled                     uint64 // the session's Settled for which this holds
}

// inTexts describes a column in the client's character set. source is that of expressions.
func (c *conn) inTexts(w *wire.Column, col *sqlfront.Column, source *wire.Encoding) {
	t := c.spoken()
	w.Collation = t.collation
	if (w.Type == wire.TypeVarString || w.Type == wire.TypeString) && w.Length != wire.Longest[""] {
		w.Length = w.Length / wire.BytesOfCharacter * t.bytesCharacter
	}
	// Otherwise it is from a view or the catalog, or was already converted.
	if w.To = t.results; col.OrgTable == "" && col.Type.Charset == "" {
		w.From = source
	}
	if w.From == w.To {
		w.From, w.To = nil, nil
	}
}

// source is the character set of a statement's expressions: UTF-8 for those that the server
// makes, for others that of the statement's strings.
func (c *conn) source(st *sqlfront.Statement) *wire.Encoding {
	if t := c.spoken(); !t.asTheyAre && st.Kind != metrics.KindShow {
		return t.connection
	}
	return nil
}

// spoken returns the client's current character sets.
func (c *conn) spoken() *texts {
	if now := c.session.Settled(); c.texts.collation == 0 || c.texts.settled != now {
		results := c.variable("character_set_results")
		c.texts = textsIn(results)
		c.texts.settled = now
		c.texts.client = wire.Encodings()[strings.ToLower(c.variable("character_set_client"))]
		c.texts.connection = wire.Encodings()[strings.ToLower(c.variable("character_set_connection"))]
		c.texts.results = wire.Encodings()[strings.ToLower(results)]
		c.texts.asTheyAre = results == "" || strings.EqualFold(results, "NULL") || strings.EqualFold(results, "binary")
	}
	return &c.texts
}

// textsIn describes a character set; an unknown one leaves texts unconverted.
func textsIn(name string) texts {
	for _, set := range charset.All() {
		if strings.EqualFold(set.Name, name) && set.Name != "binary" {
			return texts{collation: uint16(set.Collations[0].ID), bytesCharacter: uint32(set.MaxLen)}
		}
	}
	if strings.EqualFold(name, "utf8mb3") {
		return textsIn("utf8")
	}
	return texts{collation: wire.DefaultCollation, bytesCharacter: wire.BytesOfCharacter}
}

// appendColumn writes the description of a column.
func (c *conn) appendColumn(b []byte, col *sqlfront.Column, w *wire.Column) []byte {
	to := c.spoken().results
	b = packet.AppendString(b, "def")
	for _, name := range []string{col.Database, col.Table, col.OrgTable, col.Name, col.OrgName} {
		b = packet.AppendString(b, to.EncodeString(name))
	}
	b = append(b, 12)
	b = packet.AppendUint16(b, w.Collation)
	b = packet.AppendUint32(b, w.Length)
	b = append(b, byte(w.Type))
	b = packet.AppendUint16(b, w.Flags)
	return append(b, w.Decimals, 0, 0)
}

// collations are the statements that begin a connection, by the collation's number.
var collations = sync.OnceValue(func() map[uint16]string {
	out := map[uint16]string{}
	charset.EachCollation(func(set string, c charset.Collation, _ bool) {
		out[uint16(c.ID)] = "SET NAMES " + set + " COLLATE " + c.Name
	})
	return out
})

// setNames is the statement for a client that greets with a collation. It is empty
// for the default, for that of MySQL 8's clients, and for an unknown one.
func setNames(collation uint16) string {
	if collation == wire.DefaultCollation || collation == 255 {
		return ""
	}
	return collations()[collation]
}
