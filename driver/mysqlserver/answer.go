package mysqlserver

import (
	"github.com/hbasekv/hbasekv/sqlfront"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// result is what an OK packet says.
type result struct {
	sqlfront.Result
	status status // besides the session's
}

// status is the session's.
func (c *conn) status() status {
	var out status
	s := c.session.State()
	if s.Autocommit {
		out |= autocommit
	}
	if s.InTransaction {
		out |= inTransaction
	}
	if s.ReadsTransaction {
		out |= readTransaction
	}
	return out
}

func (c *conn) warnings() uint16 { return uint16(len(c.session.Warnings())) }

// ok says that a statement without a result set has been done.
func (c *conn) ok(r result) error { return c.okPacket(okHeader, r) }

// eofOrOK ends a result set.
func (c *conn) eofOrOK(with status) error {
	if c.caps.has(deprecateEOF) {
		return c.okPacket(eofHeader, result{status: with})
	}
	return c.eof(with)
}

func (c *conn) eof(with status) error {
	b := append(c.begin(), eofHeader)
	b = appendUint16(b, c.warnings())
	return c.end(appendUint16(b, uint16(c.status()|with)))
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
	b := append(c.begin(), header)
	b = appendLenenc(b, uint64(r.RowsAffected))
	b = appendLenenc(b, uint64(r.LastInsertID))
	b = appendUint16(b, uint16(st))
	b = appendUint16(b, c.warnings())
	switch {
	case !c.caps.has(sessionTrack):
		b = append(b, r.Info...)
	case len(changes) > 0:
		b = appendString(appendString(b, r.Info), changes)
	case r.Info != "":
		b = appendString(b, r.Info)
	}
	return c.end(b)
}

// tracked is what the client knows of its session.
type tracked struct {
	settled   uint64
	database  string
	variables [len(trackedVariables)]string
}

// trackedVariables are those of session_track_system_variables as MySQL has it where
// nobody says.
var trackedVariables = [...]string{"autocommit", "character_set_client", "character_set_connection",
	"character_set_results", "time_zone"}

// The kinds of a session's changes.
const (
	variableChanged = 0
	databaseChanged = 1
)

func (c *conn) track() tracked {
	t := tracked{settled: c.session.Settled(), database: c.session.State().Database}
	for i, name := range trackedVariables {
		v, err := c.session.Variable(name)
		if err == nil {
			t.variables[i] = shownVariable(name, v)
		}
	}
	return t
}

func shownVariable(name string, v value.Value) string {
	if name != "autocommit" {
		return v.String()
	}
	if v.AsInt() != 0 {
		return "ON"
	}
	return "OFF"
}

// changes are those of the session that the client has not been told of, empty where
// there are none.
func (c *conn) changes() []byte {
	database := c.session.State().Database
	if c.session.Settled() == c.tracked.settled && database == c.tracked.database {
		return nil
	}
	was := c.tracked
	c.tracked = c.track()
	var b []byte
	for i, name := range trackedVariables {
		if now := c.tracked.variables[i]; now != was.variables[i] {
			b = appendChange(b, variableChanged, appendString(appendString(nil, name), now))
		}
	}
	if database != was.database {
		b = appendChange(b, databaseChanged, appendString(nil, database))
	}
	return b
}

func appendChange(b []byte, kind byte, data []byte) []byte {
	return appendString(append(b, kind), data)
}
