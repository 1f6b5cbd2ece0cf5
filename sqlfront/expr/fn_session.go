package expr

import (
	"math/rand/v2"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Functions that ask or set something of the session
// (https://dev.mysql.com/doc/refman/5.7/en/information-functions.html).
func init() {
	register(map[string]*function{
		"VERSION":        sessionText(func(s *SessionInfo) string { return s.Version }),
		"DATABASE":       sessionText(func(s *SessionInfo) string { return s.Database }),
		"USER":           sessionText(func(s *SessionInfo) string { return s.User }),
		"CONNECTION_ID":  sessionInt(func(s *SessionInfo) value.Value { return value.NewUint(s.ConnectionID) }),
		"ROW_COUNT":      sessionInt(func(s *SessionInfo) value.Value { return value.NewInt(s.RowCount) }),
		"FOUND_ROWS":     sessionInt(func(s *SessionInfo) value.Value { return value.NewInt(s.FoundRows) }),
		"LAST_INSERT_ID": {max: 1, typ: fixed(value.Uint), eval: evalLastInsertID, volatile: true, session: true, numbers: 1},
		"RAND":           {max: 1, typ: func([]Node) value.Type { return value.Type{Kind: value.Float} }, lazy: evalRand, volatile: true, numbers: 1},

		userVariable:    {min: 1, max: 1, typ: nullType, eval: evalUserVariable, volatile: true, session: true, given: true},
		setUserVariable: {min: 2, max: 2, typ: assignType, nulls: true, eval: evalSetUserVariable, volatile: true, session: true},
		systemVariable:  {min: 2, max: 2, typ: nullType, eval: evalSystemVariable, session: true, given: true},
	})
	alias(map[string]string{"SCHEMA": "DATABASE", "CURRENT_USER": "USER", "SESSION_USER": "USER", "SYSTEM_USER": "USER"})
}

func nullType([]Node) value.Type { return value.Type{Nullable: true} }

func assignType(args []Node) value.Type { return args[1].Type() }

// session is env's session, or an empty one.
func (env *Env) session() *SessionInfo {
	if env.Session == nil {
		env.asked = true
		return &SessionInfo{}
	}
	return env.Session
}

// sessionText is a function without arguments; an empty text is NULL.
func sessionText(get func(*SessionInfo) string) *function {
	return &function{typ: maybe(value.Text), session: true, eval: func(env *Env, _ []value.Value) (value.Value, error) {
		text := get(env.session())
		if text == "" {
			return value.Value{}, nil
		}
		return value.NewString(text), nil
	}}
}

func sessionInt(get func(*SessionInfo) value.Value) *function {
	return &function{typ: fixed(value.Int), session: true, eval: func(env *Env, _ []value.Value) (value.Value, error) {
		return get(env.session()), nil
	}}
}

// evalLastInsertID with an argument sets what the next call gives.
func evalLastInsertID(env *Env, args []value.Value) (value.Value, error) {
	s := env.session()
	if len(args) == 0 {
		return value.NewUint(uint64(s.LastInsertID)), nil
	}
	id, err := env.integer(args[0])
	if err == nil && s.SetLastInsertID != nil {
		s.SetLastInsertID(id)
	}
	return value.NewUint(uint64(id)), err
}

func evalUserVariable(env *Env, args []value.Value) (value.Value, error) {
	if s := env.session(); s.UserVariable != nil {
		return s.UserVariable(strings.ToLower(string(args[0].AsBytes()))), nil
	}
	return value.Value{}, nil
}

func evalSetUserVariable(env *Env, args []value.Value) (value.Value, error) {
	if s := env.session(); s.SetUserVariable != nil {
		s.SetUserVariable(strings.ToLower(string(args[0].AsBytes())), args[1].Clone())
	}
	return args[1], nil
}

func evalSystemVariable(env *Env, args []value.Value) (value.Value, error) {
	scope, name := string(args[0].AsBytes()), string(args[1].AsBytes())
	if s := env.session(); s.Variable != nil {
		return s.Variable(strings.ToLower(scope), strings.ToLower(name))
	}
	return value.Value{}, mysqlerr.New(mysqlerr.UnknownSystemVar, "Unknown system variable '%s'", name)
}

// seededRand is MySQL's generator for RAND(seed): a constant seed starts a
// sequence that goes on from row to row.
type seededRand struct{ a, b uint64 }

const randMax = 0x3FFFFFFF

func newSeededRand(seed uint32) *seededRand {
	return &seededRand{uint64(seed*0x10001+55555555) % randMax, uint64(seed*0x10000001) % randMax}
}

func (r *seededRand) next() float64 {
	r.a = (r.a*3 + r.b) % randMax
	r.b = (r.a + r.b + 33) % randMax
	return float64(r.a) / randMax
}

func evalRand(c *Call, env *Env) (value.Value, error) {
	if len(c.Args) == 0 {
		if r := env.session().Rand; r != nil {
			return value.NewFloat(r.Float64()), nil
		}
		return value.NewFloat(rand.Float64()), nil
	}
	if r := env.rands[c]; r != nil {
		return value.NewFloat(r.next()), nil
	}
	seed, err := c.Args[0].Eval(env)
	if err != nil {
		return value.Value{}, err
	}
	i, err := env.integer(seed)
	r := newSeededRand(uint32(i))
	if IsConst(c.Args[0]) {
		if env.rands == nil {
			env.rands = map[*Call]*seededRand{}
		}
		env.rands[c] = r
	}
	return value.NewFloat(r.next()), err
}
