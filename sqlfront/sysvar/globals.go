package sysvar

import (
	"maps"
	"sync"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Globals are the values of SET GLOBAL. The zero value has none.
type Globals struct {
	mu     sync.Mutex
	values map[string]value.Value
	guard  globalGuard
}

// Set sets a variable for new sessions. The value must have been checked.
func (g *Globals) Set(name string, v value.Value) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.values == nil {
		g.values = map[string]value.Value{}
	}
	g.values[name] = v
}

// defaults are the variables of a new session, as its own copy.
func (g *Globals) defaults() map[string]value.Value {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.values)
}

// get is the value from SET GLOBAL, if there is one.
func (g *Globals) get(name string) (value.Value, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	v, ok := g.values[name]
	return v, ok
}

// MaxPrepared is max_prepared_stmt_count.
func (g *Globals) MaxPrepared() int64 {
	if v, ok := g.get(maxPreparedStmtCount); ok {
		return v.Int()
	}
	return int64(variables[maxPreparedStmtCount].value().AsUint())
}

// LocalInfile is local_infile: whether LOAD DATA LOCAL is allowed.
func (g *Globals) LocalInfile() bool {
	v, ok := g.get(localInfile)
	return !ok || v.AsInt() != 0
}
