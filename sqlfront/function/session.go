package function

import (
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The functions with a syntax of their own. Statements cannot call them by these names.
const (
	TrimBoth        = "$TRIM_BOTH" // (s) or (s, remove), like the next two
	TrimLeading     = "$TRIM_LEADING"
	TrimTrailing    = "$TRIM_TRAILING"
	UserVariable    = "$USER_VARIABLE"   // (name): @name
	SetUserVariable = "$SET_VARIABLE"    // (name, x): @name := x
	SystemVariable  = "$SYSTEM_VARIABLE" // (scope, name): @@scope.name
)

// Functions that read or change the session
// (https://dev.mysql.com/doc/refman/5.7/en/information-functions.html).
func init() {
	Register(map[string]*Function{
		"VERSION":        sessionText(func(s *Session) string { return s.Version }),
		"DATABASE":       sessionText(func(s *Session) string { return s.Database }),
		"USER":           sessionText(func(s *Session) string { return s.User }),
		"CURRENT_USER":   sessionText(func(s *Session) string { return s.CurrentUser }),
		"CONNECTION_ID":  sessionInt(func(s *Session) value.Value { return value.NewUint(s.ConnectionID) }),
		"ROW_COUNT":      sessionInt(func(s *Session) value.Value { return value.NewInt(s.RowCount) }),
		"FOUND_ROWS":     sessionInt(func(s *Session) value.Value { return value.NewInt(s.FoundRows) }),
		"LAST_INSERT_ID": {Max: 1, Type: Fixed(value.Uint), Eval: evalLastInsertID, Volatile: true, Session: true, Numbers: 1},
		"LOAD_FILE":      {Min: 1, Max: 1, Type: Maybe(value.Bytes), Eval: evalLoadFile, Volatile: true, Session: true},

		UserVariable:    {Min: 1, Max: 1, Type: nullType, Eval: evalUserVariable, Volatile: true, Session: true, Given: true},
		SetUserVariable: {Min: 2, Max: 2, Type: assignType, Nulls: true, Eval: evalSetUserVariable, Volatile: true, Session: true},
		SystemVariable:  {Min: 2, Max: 2, Type: nullType, Eval: evalSystemVariable, Session: true, Given: true},
	})
	Alias(map[string]string{"SCHEMA": "DATABASE", "SESSION_USER": "USER", "SYSTEM_USER": "USER"})
}

// evalLoadFile is NULL for a file that cannot be read, as in MySQL.
func evalLoadFile(env *Env, args []value.Value) (value.Value, error) {
	read, most := env.Info().ReadFile, env.MaxPacket()
	if read == nil {
		return value.Value{}, nil
	}
	data, ok := read(string(args[0].AsBytes()), most)
	switch {
	case !ok:
		return value.Value{}, nil
	case len(data) > most:
		return env.TooLong("LOAD_FILE")
	}
	return value.NewBytes(data), nil
}

func nullType(Args) value.Type { return value.Type{Nullable: true} }

func assignType(a Args) value.Type {
	t := a.Types[1]
	if t.Kind.IsTemporal() || t.Kind == value.JSON {
		t = value.Type{Kind: value.Text, Nullable: t.Nullable}
	}
	return t
}

// Assigned is the value that a user variable stores: dates, times and documents become text, as in MySQL.
func Assigned(v value.Value) value.Value {
	switch {
	case v.Kind().IsTemporal():
		return value.NewText(v.AsBytes())
	case v.Kind() == value.JSON:
		return value.NewText(v.Raw()).WithBinaryCollation()
	}
	return v
}

// Info is env's session, or an empty one.
func (env *Env) Info() *Session {
	if env.Session == nil {
		env.NeedsSession = true
		return &Session{}
	}
	return env.Session
}

// sessionText is a function without arguments; an empty text is NULL.
func sessionText(get func(*Session) string) *Function {
	return &Function{Type: Maybe(value.Text), Session: true, Eval: func(env *Env, _ []value.Value) (value.Value, error) {
		text := get(env.Info())
		if text == "" {
			return value.Value{}, nil
		}
		return value.NewString(text), nil
	}}
}

func sessionInt(get func(*Session) value.Value) *Function {
	return &Function{Type: Fixed(value.Int), Session: true, Eval: func(env *Env, _ []value.Value) (value.Value, error) {
		return get(env.Info()), nil
	}}
}

// evalLastInsertID with an argument sets the result of the next call.
func evalLastInsertID(env *Env, args []value.Value) (value.Value, error) {
	s := env.Info()
	if len(args) == 0 {
		return value.NewUint(uint64(s.LastInsertID)), nil
	}
	id, err := env.Integer(args[0])
	if err == nil && s.SetLastInsertID != nil {
		s.SetLastInsertID(id)
	}
	return value.NewUint(uint64(id)), err
}

func evalUserVariable(env *Env, args []value.Value) (value.Value, error) {
	if s := env.Info(); s.UserVariable != nil {
		return s.UserVariable(strings.ToLower(string(args[0].AsBytes()))), nil
	}
	return value.Value{}, nil
}

func evalSetUserVariable(env *Env, args []value.Value) (value.Value, error) {
	v := Assigned(args[1])
	if s := env.Info(); s.SetUserVariable != nil {
		if err := s.SetUserVariable(strings.ToLower(string(args[0].AsBytes())), v); err != nil {
			return value.Value{}, err
		}
	}
	return v, nil
}

func evalSystemVariable(env *Env, args []value.Value) (value.Value, error) {
	scope, name := string(args[0].AsBytes()), string(args[1].AsBytes())
	if s := env.Info(); s.Variable != nil {
		return s.Variable(strings.ToLower(scope), strings.ToLower(name))
	}
	return value.Value{}, mysqlerr.New(mysqlerr.UnknownSystemVar, "Unknown system variable '%s'", name)
}

// Now is when the statement began.
func (env *Env) Now() time.Time {
	if s := env.Info(); !s.Now.IsZero() {
		return s.Now
	}
	return env.Clock()
}

// Clock is the current time, which advances during a statement.
func (env *Env) Clock() time.Time {
	if s := env.Session; s != nil && s.Clock != nil {
		return s.Clock()
	}
	return time.Now()
}
