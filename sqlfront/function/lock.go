package function

import (
	"context"
	"math"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The functions of named locks, which migration tools use
// (https://dev.mysql.com/doc/refman/5.7/en/locking-functions.html).
func init() {
	Register(map[string]*Function{
		"GET_LOCK":          lockFunction("GET_LOCK", 2),
		"RELEASE_LOCK":      lockFunction("RELEASE_LOCK", 1),
		"RELEASE_ALL_LOCKS": lockFunction("RELEASE_ALL_LOCKS", 0),
		"IS_FREE_LOCK":      lockFunction("IS_FREE_LOCK", 1),
		"IS_USED_LOCK":      lockFunction("IS_USED_LOCK", 1),
	})
}

// lockFunction hands the call to the session.
func lockFunction(name string, count int) *Function {
	eval := func(env *Env, args []value.Value) (value.Value, error) {
		lock := LockCall{Function: name}
		if len(args) > 0 && args[0].IsNull() {
			return value.Value{}, mysqlerr.New(mysqlerr.UserLockWrongName, "Incorrect user-level lock name 'NULL'.")
		}
		if len(args) > 0 {
			lock.Name = args[0].String()
		}
		if len(args) > 1 {
			lock.Timeout = seconds(args[1])
		}
		s := env.Info()
		if s.Lock == nil {
			return value.Value{}, mysqlerr.Unsupported(name)
		}
		ctx := env.Ctx
		if ctx == nil {
			ctx = context.Background()
		}
		return s.Lock(ctx, lock)
	}
	return &Function{Min: count, Max: count, Type: Maybe(value.Int), Nulls: true, Eval: eval, Volatile: true, Session: true}
}

// seconds is a timeout; NULL is none, and a negative or too long one waits forever.
func seconds(v value.Value) time.Duration {
	if v.IsNull() {
		return 0
	}
	f := v.AsFloat()
	if f < 0 || f > math.MaxInt64/float64(time.Second)/2 {
		return -1
	}
	return time.Duration(f * float64(time.Second))
}
