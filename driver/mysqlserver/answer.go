package mysqlserver

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/packet"
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
)

// result is the content of an OK packet.
type result struct {
	sqlfront.Result
	info   answers.Info
	status status // in addition to the session's
}

// status is the session's status.
func (c *conn) status() status {
	var out status
	s := c.session.State()
	if s.Autocommit {
		out |= autocommit
	}
	if s.NoBackslashEscapes {
		out |= noBackslash
	}
	if s.InTransaction {
		out |= inTransaction
	}
	if s.ReadsTransaction {
		out |= readTransaction
	}
	return out
}

func (c *conn) warnings() uint16 { return uint16(min(c.session.WarningCount(), math.MaxUint16)) }

// ok reports the success of a statement without a result set.
func (c *conn) ok(r result) error { return c.okPacket(okHeader, r) }

// eofOrOK ends a result set.
func (c *conn) eofOrOK(with status) error {
	if c.caps.has(deprecateEOF) {
		return c.okPacket(eofHeader, result{status: with})
	}
	return c.eof(with)
}

func (c *conn) eof(with status) error {
	b := append(c.Begin(), eofHeader)
	b = packet.AppendUint16(b, c.warnings())
	return c.End(packet.AppendUint16(b, uint16(c.status()|with)))
}

func (c *conn) okPacket(header byte, r result) error {
	var changes []byte
	if c.caps.has(sessionTrack) {
		changes = c.changes()
	}
	st := c.status() | r.status
	if len(changes) > 0 {
		st |= stateChanged
	}
	b := append(c.Begin(), header)
	b = packet.AppendLenenc(b, uint64(r.RowsAffected))
	b = packet.AppendLenenc(b, uint64(r.LastInsertID))
	b = packet.AppendUint16(b, uint16(st))
	b = packet.AppendUint16(b, c.warnings())
	switch info := r.info.String(); {
	case len(changes) > 0: // only clients that asked for session tracking
		b = packet.AppendString(packet.AppendString(b, info), changes)
	case info != "":
		b = packet.AppendString(b, info)
	}
	return c.End(b)
}

// tracked is what the client knows of its session's state.
type tracked struct {
	settled  uint64
	database string
	names    string // session_track_system_variables
	values   map[string]string
	// schema and state say whether the client wants to know of another default
	// database, and of any change.
	schema, state bool
}

// The kinds of a session's changes.
const (
	variableChanged = 0
	databaseChanged = 1
	anythingChanged = 2
)

func (c *conn) track() tracked {
	t := tracked{settled: c.session.Settled(), database: c.session.State().Database, values: map[string]string{}}
	t.names = c.variable("session_track_system_variables")
	t.schema = c.variable("session_track_schema") == "1"
	t.state = c.variable("session_track_state_change") == "1"
	for name := range strings.SplitSeq(t.names, ",") {
		if name = strings.TrimSpace(name); name == "*" {
			for _, each := range sysvar.Names() {
				t.values[each] = c.shown(each)
			}
		} else if name != "" {
			t.values[name] = c.shown(name)
		}
	}
	return t
}

// variable is the value of a variable, empty if it is unknown.
func (c *conn) variable(name string) string {
	v, err := c.session.Variable(name)
	if err != nil {
		return ""
	}
	return v.String()
}

// shown is a variable's value as sent to the client: a flag is ON or OFF.
func (c *conn) shown(name string) string {
	v := c.variable(name)
	if name == "autocommit" {
		if v == "1" {
			return "ON"
		}
		return "OFF"
	}
	return v
}

// changes are the session's changes that the client has not been told yet, empty if
// there are none.
func (c *conn) changes() []byte {
	database := c.session.State().Database
	if c.session.Settled() == c.tracked.settled && database == c.tracked.database {
		return nil
	}
	was := c.tracked
	c.tracked = c.track()
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(c.tracked.values)) {
		if now := c.tracked.values[name]; now != was.values[name] {
			b = appendChange(b, variableChanged, packet.AppendString(packet.AppendString(nil, name), now))
		}
	}
	if database != was.database && c.tracked.schema {
		b = appendChange(b, databaseChanged, packet.AppendString(nil, database))
	}
	if c.tracked.state {
		b = appendChange(b, anythingChanged, packet.AppendString(nil, "1"))
	}
	return b
}

func appendChange(b []byte, kind byte, data []byte) []byte {
	return packet.AppendString(append(b, kind), data)
}
