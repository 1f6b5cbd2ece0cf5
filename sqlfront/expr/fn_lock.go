package expr

import (
	"context"
	"math"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The functions of named locks, which migration tools take
// (https://dev.mysql.com/doc/refman/5.7/en/locking-functions.html).
func init() {
	register(map[string]*function{
		"GET_LOCK":          lockFunction(2),
		"RELEASE_LOCK":      lockFunction(1),
		"RELEASE_ALL_LOCKS": lockFunction(0),
		"IS_FREE_LOCK":      lockFunction(1),
		"IS_USED_LOCK":      lockFunction(1),
	})
}

func lockFunction(args int) *function {
	return &function{min: args, max: args, typ: maybe(value.Int), nulls: true, lazy: evalLock, volatile: true, session: true}
}

// evalLock hands the call to the session.
func evalLock(c *Call, env *Env) (value.Value, error) {
	lock := LockCall{Function: c.Name}
	for i, arg := range c.Args {
		v, err := arg.Eval(env)
		if err != nil {
			return value.Value{}, err
		}
		if i == 0 {
			lock.Name = v.String()
		} else {
			lock.Timeout = seconds(v)
		}
		if i == 0 && v.IsNull() {
			return value.Value{}, mysqlerr.New(mysqlerr.UserLockWrongName, "Incorrect user-level lock name 'NULL'.")
		}
	}
	s := env.session()
	if s.Lock == nil {
		return value.Value{}, mysqlerr.Unsupported(c.Name)
	}
	ctx := env.Ctx
	if ctx == nil {
		ctx = context.Background()
	}
	return s.Lock(ctx, lock)
}

// seconds is a timeout; NULL is none, and what is negative or too long waits
// for ever.
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
