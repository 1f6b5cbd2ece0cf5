package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// variables are what a session's variables begin with.
func (o *SessionOptions) variables(e *Engine) sysvar.Options {
	return sysvar.Options{
		Endpoint: o.Endpoint, Versions: o.Versions, ReadOnly: o.ReadOnly, LockTimeout: o.LockTimeout,
		QueryMemory: o.QueryMemory, MaxAllowedPacket: o.MaxAllowedPacket, RefuseFullScan: o.RefuseFullScan,
		ScanLimit: o.ScanLimit, TempDir: o.TempDir, Parallelism: o.Parallelism, Most: o.Most, Spilled: &e.spilled,
	}
}

// variableHost is the session as its variables see it.
type variableHost struct{ *Session }

// Warn implements sysvar.Host.
func (s variableHost) Warn(code uint16, message string) { s.warn(code, message) }

// Unbounded implements sysvar.Host.
func (s variableHost) Unbounded() bool { return s.authority.May(rights.Super) }

// Shown implements sysvar.Host.
func (s variableHost) Shown(name string) (value.Value, bool) {
	switch name {
	case "character_set_database":
		text, ok := s.databaseText()
		return value.NewString(text.Charset), ok
	case "collation_database":
		text, ok := s.databaseText()
		return value.NewString(text.Collation), ok
	case "secure_file_priv":
		return s.secureFilePriv(), true
	case "warning_count":
		return value.NewInt(int64(s.before.all)), true
	case "error_count":
		return value.NewInt(int64(s.before.errors)), true
	case "last_insert_id", "identity":
		return value.NewInt(s.lastInsertID), true
	case "pseudo_thread_id":
		return value.NewUint(s.id), true
	case "timestamp":
		return sysvar.Seconds(s.info().Now), true
	}
	return value.Value{}, false
}

// databaseText is what the current database declares, false where there is no
// current one.
func (s *Session) databaseText() (schema.Text, bool) {
	c, err := s.engine.store.Catalog(context.Background()) // of a variable nothing can fail
	if err != nil || c.Database(s.database) == nil {
		return schema.Text{}, false
	}
	return charset.Shown(schema.TextOf(c.Database(s.database))), true
}
