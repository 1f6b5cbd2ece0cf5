package sqlfront

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/steps"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// set runs the assignments of one SET. As in MySQL all or none take effect:
// they are checked before the first is stored.
func (s *Session) set(ctx context.Context, p *parse.Parsed, st *parse.Set, args []value.Value) error {
	before := s.saveVariables()
	err := s.assignAll(ctx, p, st, args)
	if err == nil {
		err = s.countVariables()
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		s.restoreVariables(before)
	}
	return err
}

// assignUnits is about what an assignment costs.
const assignUnits = 1 << 10

func (s *Session) assignAll(ctx context.Context, p *parse.Parsed, st *parse.Set, args []value.Value) error {
	meter := steps.Meter{Ctx: ctx}
	for _, a := range st.Assignments {
		if err := s.assign(ctx, p, a, args); err != nil {
			return err
		}
		if err := meter.Step(assignUnits); err != nil {
			return err
		}
	}
	return nil
}

type savedVariables struct {
	variables, user map[string]value.Value
	view            versions.View
	userBytes       int64
}

func (s *Session) saveVariables() savedVariables {
	return savedVariables{variables: maps.Clone(s.variables), user: maps.Clone(s.user), view: s.view,
		userBytes: s.parts.user}
}

func (s *Session) restoreVariables(saved savedVariables) {
	s.variables, s.user, s.view = saved.variables, saved.user, saved.view
	s.memory.Give(s.parts.user - saved.userBytes)
	s.parts.user = saved.userBytes
	s.memory.Shrink(&s.parts.variables, s.variablesSize())
	s.settle()
}

// smallText is how long the value of a system variable is that counts for nothing.
const smallText = 256

// countVariables counts the texts of the system variables.
func (s *Session) countVariables() error {
	return s.memory.Resize(&s.parts.variables, s.variablesSize())
}

func (s *Session) variablesSize() (n int64) {
	for _, v := range s.variables {
		if size := len(v.Raw()); size > smallText {
			n += int64(size)
		}
	}
	return n
}

func (s *Session) assign(ctx context.Context, p *parse.Parsed, a parse.SetVar, args []value.Value) error {
	switch a.Scope {
	case parse.ScopeNames, parse.ScopeCharset:
		return s.setNames(a)
	}
	v, err := s.setValue(ctx, p, a, args)
	if err != nil {
		return err
	}
	if a.Scope == parse.ScopeUser {
		return s.setUserVariable(a.Name, v)
	}
	name := canonical(a.Name)
	known, ok := variables[name]
	if !ok {
		return unknownVariable(a.Name)
	}
	if name == timestampVar && a.Scope == parse.ScopeGlobal {
		return mysqlerr.New(mysqlerr.LocalVariable, "Variable '%s' is a SESSION variable and can't be used with SET GLOBAL", name)
	}
	if known.kind == readOnlyVar || known.kind == readOnlyFlag {
		return mysqlerr.New(mysqlerr.IncorrectGlobalLocal, "Variable '%s' is a read only variable", name)
	}
	if bounds, ok := globalInts[name]; ok {
		return s.setGlobalInt(a, name, known, bounds, v)
	}
	if name == localInfile && a.Scope != parse.ScopeGlobal {
		return onlyGlobal(name)
	}
	if a.Scope == parse.ScopeGlobal && !hasGlobal(name) && name != "tx_isolation" && name != "tx_read_only" {
		return mysqlerr.Unsupported("SET GLOBAL: a variable is the session's, its default is in the DSN")
	}
	if a.Value.Default && a.Scope == parse.ScopeGlobal && hasGlobal(name) {
		v = known.value()
	} else if a.Value.Default || name == "hbasekv_versions" && v.IsNull() { // NULL is how ent takes a variable back
		return s.unset(ctx, name, known)
	}
	if v, err = s.checkValue(name, known, v); err != nil {
		return err
	}
	switch {
	case a.Scope == parse.ScopeGlobal && isGuardVariable(name):
		s.engine.guard.set(name, v)
		return nil
	case a.Scope == parse.ScopeGlobal:
		s.engine.setGlobal(name, v)
		return nil
	case a.Next && name == "tx_isolation":
		level, _ := levelNamed(v)
		return s.setNext(TxOptions{Isolation: level})
	case a.Next && name == "tx_read_only":
		return s.setNext(TxOptions{ReadOnly: v.AsInt() != 0, ReadWrite: v.AsInt() == 0})
	}
	return s.setVariable(ctx, name, v)
}

// hasGlobal reports whether SET GLOBAL sets a variable, for all sessions or those to come.
func hasGlobal(name string) bool {
	_, inert := kept[name]
	return inert || name == localInfile || name == longQueryTime || name == sqlMode || isGuardVariable(name)
}

// unset gives a variable back what it had when the session began.
func (s *Session) unset(ctx context.Context, name string, v variable) error {
	switch name {
	case "hbasekv_versions":
		s.view, _ = parseVersions(name, s.options.Versions) // checked when the session was opened
		return nil
	case "autocommit":
		return s.setVariable(ctx, name, v.value())
	}
	if global, ok := s.engine.global(name); ok {
		s.store(name, global)
		return nil
	}
	delete(s.variables, name)
	s.settle()
	return nil
}

func (s *Session) setValue(ctx context.Context, p *parse.Parsed, a parse.SetVar,
	args []value.Value) (value.Value, error) {
	switch {
	case a.Value.Default:
		return value.Value{}, nil
	case a.Value.Word != "":
		return textValue(a.Value.Word), nil
	}
	return s.evaluate(ctx, p, a.Value.Expr, args)
}

// checkValue converts a value to what the variable holds.
func (s *Session) checkValue(name string, v variable, val value.Value) (value.Value, error) {
	switch v.kind {
	case boolVar:
		return checkFlag(name, val)
	case secondsVar:
		if name == timestampVar {
			return checkTimestamp(val)
		}
		return s.checkSeconds(name, val)
	case intVar:
		val, err := s.checkInt(name, val)
		if err == nil && name == scanLimitVar {
			return checkGuard(name, val)
		}
		return val, err
	}
	if val.IsNull() && name != "character_set_results" {
		return val, wrongValue(name, "NULL")
	}
	if isGuardVariable(name) {
		return checkGuard(name, val)
	}
	if name == sqlMode {
		mode, err := checkSQLMode(val)
		return textValue(mode), err
	}
	if val, err := checkChoice(name, val); err != nil {
		return val, err
	} else if choices[name] != nil {
		return val, nil
	}
	if name == "tx_isolation" {
		if _, ok := levelNamed(val); !ok {
			return val, wrongValue(name, val.String())
		}
		return textValue(strings.ToUpper(strings.ReplaceAll(val.String(), " ", "-"))), nil
	}
	return val, nil
}

// checkInt brings what is too small or too large within bounds, with a warning, as MySQL does.
func (s *Session) checkInt(name string, val value.Value) (value.Value, error) {
	if val.Kind() != value.Uint && val.Kind() != value.Int {
		return val, mysqlerr.New(mysqlerr.WrongTypeForVar, "Incorrect argument type to variable '%s'", name)
	}
	within := val
	if least := leastInts[name]; val.Kind() == value.Int && val.Int() < least {
		within = value.NewInt(least)
	}
	if most, ok := s.most(name); ok && within.AsUint() > most {
		within = value.NewInt(int64(most))
	}
	if value.Order(within, val) != 0 {
		s.warn(uint16(mysqlerr.TruncatedWrongValue), fmt.Sprintf("Truncated incorrect %s value: '%s'", name, val))
	}
	return within, nil
}

// checkSeconds is a number of seconds within bounds.
func (s *Session) checkSeconds(name string, val value.Value) (value.Value, error) {
	if val.IsNull() || val.IsString() {
		return val, mysqlerr.New(mysqlerr.WrongTypeForVar, "Incorrect argument type to variable '%s'", name)
	}
	n := min(max(val.AsFloat(), 0), maxSeconds)
	if n != val.AsFloat() {
		s.warn(uint16(mysqlerr.TruncatedWrongValue), fmt.Sprintf("Truncated incorrect %s value: '%s'", name, val))
	}
	return secondsValue(n), nil
}

// secondsValue is a number of seconds with six digits behind the point.
func secondsValue(n float64) value.Value {
	return value.NewDecimal(decimal.NewFromInt(int64(math.Round(n * 1e6))).Shift(-6))
}

// globalInts are variables that only SET GLOBAL sets, to a multiple of a block
// within bounds.
var globalInts = map[string]struct{ least, most, block uint64 }{
	maxAllowedPacket:     {function.MinAllowedPacket, function.MaxAllowedPacket, function.MinAllowedPacket},
	maxPreparedStmtCount: {0, 1 << 20, 1},
}

// setGlobalInt is SET GLOBAL of one of globalInts.
func (s *Session) setGlobalInt(a parse.SetVar, name string, known variable, in struct{ least, most, block uint64 },
	v value.Value) error {
	switch {
	case a.Scope == parse.ScopeGlobal:
	case name == maxAllowedPacket:
		return mysqlerr.New(mysqlerr.VariableIsReadonly,
			"SESSION variable '%s' is read-only. Use SET GLOBAL to assign the value", name)
	default:
		return onlyGlobal(name)
	}
	if a.Value.Default {
		v = known.value()
	}
	v, err := s.checkInt(name, v)
	if err != nil {
		return err
	}
	n := min(max(v.AsUint(), in.least), in.most) / in.block * in.block
	if n != v.AsUint() {
		s.warn(uint16(mysqlerr.TruncatedWrongValue), fmt.Sprintf("Truncated incorrect %s value: '%s'", name, v))
	}
	s.engine.setGlobal(name, value.NewInt(int64(n)))
	return nil
}

func onlyGlobal(name string) error {
	return mysqlerr.New(mysqlerr.GlobalVariable, "Variable '%s' is a GLOBAL variable and should be set with SET GLOBAL", name)
}

// leastInts are the least values of variables whose least is not 0.
var leastInts = map[string]int64{"innodb_lock_wait_timeout": 1, "tmp_table_size": 1024, "interactive_timeout": 1,
	"lock_wait_timeout": 1, "net_read_timeout": 1, "net_write_timeout": 1, "wait_timeout": 1}

// mostInts are the greatest values of variables that are bounded.
var mostInts = map[string]uint64{"max_error_count": mostErrorCount, "max_execution_time": math.MaxUint32,
	"innodb_lock_wait_timeout": 1 << 30, "interactive_timeout": maxSeconds, "lock_wait_timeout": maxSeconds,
	"net_read_timeout": maxSeconds, "net_write_timeout": maxSeconds, "wait_timeout": maxSeconds}

// most is the greatest value that the session may give to a variable, false where any
// will do: the least of what MySQL, the server's options and its memory allow.
func (s *Session) most(name string) (most uint64, bounded bool) {
	for _, bound := range []func(string) (uint64, bool){mostInt, s.mostByOptions, s.mostByMemory} {
		if v, ok := bound(name); ok && (!bounded || v < most) {
			most, bounded = v, true
		}
	}
	return most, bounded
}

func mostInt(name string) (uint64, bool) {
	most, ok := mostInts[name]
	return most, ok
}

func (s *Session) mostByOptions(name string) (uint64, bool) {
	most, ok := s.options.Most[name]
	return most, ok
}

// mostByMemory bounds what takes memory of the server: it cannot be raised above what the
// server's options say, but by those who may set these, too.
func (s *Session) mostByMemory(name string) (most uint64, ok bool) {
	if s.authority.May(rights.Super) {
		return 0, false
	}
	switch name {
	case "tmp_table_size", "max_heap_table_size":
		return uint64(cmp.Or(s.options.QueryMemory, DefaultQueryMemory)), true
	case "hbasekv_parallelism":
		return uint64(max(s.options.Parallelism, runtime.GOMAXPROCS(0))), true
	case "group_concat_max_len":
		return uint64(s.packet), true
	}
	return 0, false
}

func wrongValue(name, shown string) error {
	return mysqlerr.New(mysqlerr.WrongValueForVar, "Variable '%s' can't be set to the value of '%s'", name, shown)
}

func checkFlag(name string, val value.Value) (value.Value, error) {
	switch strings.ToUpper(val.String()) {
	case "ON", "TRUE", "1":
		return boolValue(true), nil
	case "OFF", "FALSE", "0":
		return boolValue(false), nil
	}
	return val, wrongValue(name, val.String())
}

// oneValue are variables that change what statements mean, and whose one
// supported value is MySQL's default.
var oneValue = []string{"div_precision_increment", "lc_time_names", "sql_auto_is_null", "sql_safe_updates"}

// checkOneValue is 1235 for another value of one of these.
func checkOneValue(name string, v value.Value) error {
	if slices.Contains(oneValue, name) && !strings.EqualFold(v.String(), variables[name].value().String()) {
		return mysqlerr.Unsupported(name + " = " + v.String())
	}
	return nil
}

// setVariable stores a checked value and does what the variable stands for.
func (s *Session) setVariable(ctx context.Context, name string, v value.Value) error {
	if err := checkOneValue(name, v); err != nil {
		return err
	}
	switch name {
	case "hbasekv_versions":
		view, err := parseVersions(name, v.String())
		if err == nil {
			s.view = view
		}
		return err
	case dumpVersions:
		view, err := parseVersions(name, v.String())
		if err != nil {
			return err
		}
		v = textValue(versionsText(view))
	case "autocommit":
		if v.AsInt() != 0 && !s.settings.autocommit {
			if err := s.commit(ctx); err != nil {
				return err
			}
		}
	case "time_zone":
		_, shown, err := location(v.String())
		if err != nil {
			return err
		}
		v = textValue(shown)
	case "collation_connection", "collation_database", "collation_server":
		if err := charset.Check(v.String(), charset.SetOf(v.String())); err != nil {
			return err
		}
	case "character_set_client", "character_set_connection", "character_set_results":
		if !v.IsNull() && !knownCharset(v.String()) {
			return unknownCharset(v.String())
		}
		if name == characterSetClient {
			if err := checkClientCharset(v.String()); err != nil {
				return err
			}
		}
	}
	s.store(name, v)
	return nil
}

// charsets are the character sets that a client may name, by their default collations:
// the connection is UTF-8 whatever it says, and binary values are bytes.
var charsets = sync.OnceValue(func() map[string]string {
	out := map[string]string{"utf8mb3": "utf8_general_ci"}
	charset.EachCollation(func(set string, c charset.Collation, first bool) {
		if first {
			out[set] = c.Name
		}
	})
	return out
})

func knownCharset(name string) bool { return charsets()[strings.ToLower(name)] != "" }

func unknownCharset(name string) error {
	return mysqlerr.New(mysqlerr.UnknownCharset, "Unknown character set: '%s'", name)
}

const characterSetClient = "character_set_client"

// Character sets that no statement can be written in. In the first, as in MySQL, ASCII is no
// part of it; in those of Eastern Asia a quote or a backslash may be the end of a character, so
// that what a client escapes in them would read otherwise here.
var (
	wideCharsets   = []string{"ucs2", "utf16", "utf16le", "utf32"}
	hidingCharsets = []string{"big5", "cp932", "gb18030", "gbk", "sjis"}
)

func checkClientCharset(name string) error {
	switch name = strings.ToLower(name); {
	case slices.Contains(wideCharsets, name):
		return wrongValue(characterSetClient, name)
	case slices.Contains(hidingCharsets, name):
		return mysqlerr.Unsupported(characterSetClient + " = " + name)
	}
	return nil
}

// setNames is SET NAMES and SET CHARACTER SET.
func (s *Session) setNames(a parse.SetVar) error {
	name := a.Value.Word
	if a.Value.Default {
		name = "utf8mb4"
	}
	name = strings.ToLower(name)
	if !knownCharset(name) {
		return unknownCharset(name)
	}
	if err := checkClientCharset(name); err != nil {
		return err
	}
	collation := charsets()[name]
	if a.Collate != "" {
		collation = strings.ToLower(a.Collate)
		if err := charset.Check(collation, name); err != nil {
			return err
		}
	}
	for _, v := range []string{"character_set_client", "character_set_connection", "character_set_results"} {
		s.store(v, textValue(name))
	}
	s.store("collation_connection", textValue(collation))
	return nil
}
