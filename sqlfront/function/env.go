package function

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Env is the environment in which a function is evaluated.
type Env struct {
	Session *Session // may be nil if nothing of the session is needed
	Ctx     context.Context
	// Strict turns warnings about invalid values and division by zero into errors, as INSERT and UPDATE do in
	// MySQL's strict mode.
	Strict bool
	// Held counts the large values that are held; it may be nil.
	Held *Held

	Folding      bool // the result is for every session
	NeedsSession bool // something of the session was needed, and there is none

	work cancelcheck.Meter
	// Compiled is for MATCH and similar functions, which cache their compiled patterns there.
	Compiled any
}

// Encryption is the protocol and the cipher of a client's connection, both empty if it is not encrypted.
type Encryption struct{ Version, Cipher string }

// Session is what functions read of the session. Nil functions mean that nothing is set.
type Session struct {
	Database, User, Version string
	// CurrentUser is the account, user@host.
	CurrentUser string
	Encryption  Encryption
	// Now is when the statement began, in the session's time zone.
	Now time.Time
	// Clock is the current time; nil means the machine's clock.
	Clock        func() time.Time
	ConnectionID uint64
	LastInsertID int64
	RowCount     int64
	FoundRows    int64
	// MaxAllowedPacket limits the strings that functions return, in bytes; 0 means DefaultAllowedPacket.
	MaxAllowedPacket int
	// Variable is @@scope.name; scope is empty, session or global.
	Variable        func(scope, name string) (value.Value, error)
	UserVariable    func(name string) value.Value
	SetUserVariable func(name string, v value.Value) error
	SetLastInsertID func(id int64)
	AddWarning      func(code uint16, message string)
	AddNote         func(code uint16, message string)
	// MaxErrorCount is the number of warnings that are kept; others are only counted.
	MaxErrorCount int
	// ReadFile reads a file for LOAD_FILE, at most most+1 bytes; ok is false if the file does not exist or
	// must not be read.
	ReadFile func(name string, most int) (data []byte, ok bool)
	// TakesNotes is false if reading to find reasons for notes is not worthwhile.
	TakesNotes func() bool
	// Loose is true without a strict sql_mode: values that do not fit into a column are cut, with a warning.
	// QuietDivision is true without ERROR_FOR_DIVISION_BY_ZERO.
	Loose, QuietDivision bool
	// Rand is the source of RAND() without a seed; nil means the runtime's.
	Rand *rand.Rand
	// Lock runs GET_LOCK and similar functions; see LockCall.
	Lock func(ctx context.Context, call LockCall) (value.Value, error)
}

// LockCall is a call of GET_LOCK, RELEASE_LOCK, RELEASE_ALL_LOCKS,
// IS_FREE_LOCK or IS_USED_LOCK.
type LockCall struct {
	Function string
	Name     string
	Timeout  time.Duration // for GET_LOCK; negative waits forever
}

// Warn adds a warning about an invalid value, or returns the error in strict mode.
func (env *Env) Warn(n mysqlerr.Number, message string) error {
	if env.Strict {
		return mysqlerr.New(n, "%s", message)
	}
	if env.Session != nil && env.Session.AddWarning != nil {
		env.Session.AddWarning(uint16(n), message)
	}
	return nil
}

// DivisionByZero is Warn for a result that is NULL because of its divisor, if sql_mode asks for that. The
// error is 1365, in strict mode.
func (env *Env) DivisionByZero() error {
	if env.Session != nil && env.Session.QuietDivision {
		return nil
	}
	return env.Warn(mysqlerr.DivisionByZero, "Division by 0")
}

// The range of max_allowed_packet, which limits each string that a function returns, in bytes
// (https://dev.mysql.com/doc/refman/5.7/en/server-system-variables.html#sysvar_max_allowed_packet).
const (
	MinAllowedPacket     = 1 << 10
	MaxAllowedPacket     = 1 << 30
	DefaultAllowedPacket = 64 << 20
)

// MaxPacket is max_allowed_packet. When folding at bind time it is the smallest that any session can have, so
// that the result is the same for all and a plan has no large constants that are not in its text.
func (env *Env) MaxPacket() int {
	switch {
	case env.Folding:
		return MinAllowedPacket
	case env.Session == nil || env.Session.MaxAllowedPacket == 0:
		return DefaultAllowedPacket
	}
	return env.Session.MaxAllowedPacket
}

// TooLong returns NULL with the warning about max_allowed_packet. The error is 1301, in strict mode.
func (env *Env) TooLong(function string) (value.Value, error) {
	return value.Value{}, env.Warn(mysqlerr.AllowedPacketOverflowed, TooLongMessage(function, env.MaxPacket()))
}

// TooLongMessage is the message about a result longer than max_allowed_packet.
func TooLongMessage(function string, limit int) string {
	return fmt.Sprintf("Result of %s() was larger than max_allowed_packet (%d) - truncated",
		strings.ToLower(function), limit)
}

// Step counts n units of work and regularly checks the context, whose error it returns, see package
// cancelcheck.
func (env *Env) Step(n int) error { return env.Meter().Step(n) }

// Reads counts the work of reading values completely, if they are long. The error is the context's.
func (env *Env) Reads(a, b value.Value) error {
	if n := len(a.Raw()) + len(b.Raw()); n > SmallValue {
		return env.Step(n)
	}
	return nil
}

// Order is value.Compare, but skips what two long texts have in common under the context. The error is the
// context's.
func (env *Env) Order(a, b value.Value) (order int, ok bool, err error) {
	if a.Kind() == value.Text && b.Kind() == value.Text && min(len(a.Raw()), len(b.Raw())) > cancelcheck.Stride {
		if by := value.JointCollation(a, b); by.Levels() > 0 {
			order, err = by.CompareLong(a.Raw(), b.Raw(), env.Step)
			return order, err == nil, err
		}
		if a, b, err = env.passCommon(a, b); err != nil {
			return 0, false, err
		}
	}
	order, ok = value.Compare(a, b)
	return order, ok, nil
}

// passCommon drops the common beginning of two texts, unless comparing all their bytes is faster.
func (env *Env) passCommon(a, b value.Value) (value.Value, value.Value, error) {
	if value.JointCollation(a, b) != collation.General {
		return a, b, env.Step(cancelcheck.Stride)
	}
	next := collation.General.Characters()
	x, y := a.Raw(), b.Raw()
	for len(x) > 0 && len(y) > 0 {
		w, n := next(x)
		u, m := next(y)
		if w != u {
			break
		}
		if err := env.Step(commonUnits); err != nil {
			return a, b, err
		}
		x, y = x[n:], y[m:]
	}
	return value.NewText(x), value.NewText(y), nil
}

// commonUnits is the approximate cost of comparing two characters.
const commonUnits = 4

// Meter counts the work of everything that is evaluated in env.
func (env *Env) Meter() *cancelcheck.Meter {
	env.work.Ctx = env.Ctx
	return &env.work
}

// SmallValue is the length in bytes up to which a value costs no more than evaluating its node.
const SmallValue = 1 << 10

// Made accounts for the n bytes of a call's value. Everything else that was made since mark is not needed any
// more. The error is 1038 if the statement holds too much, or the context's.
func (env *Env) Made(n, mark int) error {
	if env.Held != nil {
		env.Held.bytes = mark
		if err := env.Held.Grow(n); err != nil {
			return err
		}
	}
	if n <= SmallValue {
		return nil
	}
	return env.Step(n)
}

// Fitting is the value of a function, or NULL if it is longer than max_allowed_packet, which only values of
// columns may be. The error is that of TooLong.
func (env *Env) Fitting(function string, v value.Value, args []value.Value) (value.Value, error) {
	n := len(v.Raw())
	if n <= env.MaxPacket() {
		return v, nil
	}
	for _, a := range args {
		if len(a.Raw()) >= n && !env.Folding {
			return v, nil
		}
	}
	return env.TooLong(function)
}
