package sqlfront

import (
	"context"
	"io"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
	"github.com/hbasekv/hbasekv/sqlfront/transaction"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// host implements the Host interfaces of the packages that run parts of a session's statements.
type host struct{ *Session }

// Warn implements sysvar.Host and fileio.Host.
func (s host) Warn(code uint16, message string) { s.warn(code, message) }

// Unbounded implements sysvar.Host.
func (s host) Unbounded() bool { return s.authority.May(rights.Super) }

// Shown implements sysvar.Host.
func (s host) Shown(name string) (value.Value, bool) {
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
		return value.NewInt(int64(s.warnings.Before.All)), true
	case "error_count":
		return value.NewInt(int64(s.warnings.Before.Errors)), true
	case "last_insert_id", "identity":
		return value.NewInt(s.lastInsertID), true
	case "pseudo_thread_id":
		return value.NewUint(s.id), true
	case "timestamp":
		return sysvar.Seconds(s.info().Now), true
	}
	return value.Value{}, false
}

// databaseText is the character set and collation of the current database; false if there is no current one.
func (s *Session) databaseText() (schema.Text, bool) {
	c, err := s.engine.store.Catalog(context.Background()) // reading a variable cannot fail
	if err != nil || c.Database(s.database) == nil {
		return schema.Text{}, false
	}
	return charset.Shown(schema.TextOf(c.Database(s.database))), true
}

// secureFilePriv is @@secure_file_priv: NULL if statements may not access files of the server.
func (s *Session) secureFilePriv() value.Value {
	if s.options.Files == nil || s.options.Files.Dir() == "" {
		return value.Value{}
	}
	return value.NewString(s.options.Files.Dir())
}

// readFile reads a file for LOAD_FILE.
func (s *Session) readFile(name string, most int) ([]byte, bool) {
	if s.options.Files == nil || !s.authority.May(rights.File) {
		return nil, false
	}
	file, err := s.options.Files.Open(name)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, int64(most)+1))
	return data, err == nil
}

// Info implements statement.Host and fileio.Host.
func (s host) Info() *function.Session { return s.info() }

// Planner implements statement.Host and fileio.Host.
func (s host) Planner(ctx context.Context, catalog *kv.Catalog, args []value.Value) *plan.Planner {
	return s.planner(ctx, catalog, args)
}

// Writing implements fileio.Host.
func (s host) Writing(ctx context.Context, txn kv.Txn, t *transaction.Retry, args []value.Value) *exec.Context {
	c := s.writing(ctx, txn, t, args)
	c.Memory = &s.writeMemory
	return c
}

// Publish implements fileio.Host.
func (s host) Publish(ctx context.Context) (first bool, err error) { return s.txns.Publish(ctx) }

// Published implements fileio.Host.
func (s host) Published(first bool) { s.txns.Published(first) }
