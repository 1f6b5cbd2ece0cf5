package expr

import (
	"crypto/rand"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Miscellaneous functions
// (https://dev.mysql.com/doc/refman/5.7/en/miscellaneous-functions.html).
func init() {
	register(map[string]*function{
		"ANY_VALUE":    {min: 1, max: 1, typ: func(args []Node) value.Type { return args[0].Type() }, nulls: true, eval: evalFirst},
		"SLEEP":        {min: 1, max: 1, typ: smallNotNull, lazy: evalSleep, volatile: true, numbers: 1},
		"BENCHMARK":    {min: 2, max: 2, typ: smallNotNull, lazy: evalBenchmark, volatile: true, numbers: 1},
		"UUID":         {typ: fixed(value.Text), eval: evalUUID, volatile: true},
		"UUID_SHORT":   {typ: fixedNotNull(value.Uint), eval: evalUUIDShort, volatile: true},
		"RANDOM_BYTES": {min: 1, max: 1, typ: fixed(value.Bytes), eval: evalRandomBytes, volatile: true, numbers: 1},
		"INET_ATON":    {min: 1, max: 1, typ: maybe(value.Uint), eval: evalInetAton},
		"INET_NTOA":    {min: 1, max: 1, typ: maybe(value.Text), eval: evalInetNtoa, numbers: 1},
		"INET6_ATON":   {min: 1, max: 1, typ: maybe(value.Bytes), eval: evalInet6Aton},
		"INET6_NTOA":   {min: 1, max: 1, typ: maybe(value.Text), eval: evalInet6Ntoa},
		"IS_IPV4":      isAddress(netip.Addr.Is4),
		"IS_IPV6":      isAddress(netip.Addr.Is6),

		"CHARSET":   {min: 1, max: 1, typ: fixedNotNull(value.Text), lazy: evalCharset("utf8mb4", "binary")},
		"COLLATION": {min: 1, max: 1, typ: fixedNotNull(value.Text), lazy: evalCharset("utf8mb4_general_ci", "binary")},
	})
}

// lastShort is the UUID_SHORT given last. As in MySQL it begins with the server's
// number, 1, and the seconds of its start, so that a restart repeats none.
var lastShort atomic.Uint64

func init() { lastShort.Store(1<<56 | uint64(uint32(time.Now().Unix()))<<24) }

func evalUUIDShort(*Env, []value.Value) (value.Value, error) {
	return value.NewUint(lastShort.Add(1)), nil
}

func evalFirst(_ *Env, args []value.Value) (value.Value, error) { return args[0], nil }

// evalSleep waits; a cancelled context ends it with the context's error.
func evalSleep(c *Call, env *Env) (value.Value, error) {
	v, err := c.Args[0].Eval(env)
	if err != nil {
		return v, err
	}
	seconds, err := env.float(v)
	if err != nil || v.IsNull() || seconds < 0 {
		if err == nil {
			err = env.warn(mysqlerr.WrongArguments, "Incorrect arguments to sleep.")
		}
		return value.NewInt(0), err
	}
	timer := time.NewTimer(time.Duration(min(seconds, 1e9) * float64(time.Second)))
	defer timer.Stop()
	var done <-chan struct{}
	if env.Ctx != nil {
		done = env.Ctx.Done()
	}
	select {
	case <-timer.C:
		return value.NewInt(0), nil
	case <-done:
		return value.Value{}, env.Ctx.Err()
	}
}

func evalBenchmark(c *Call, env *Env) (value.Value, error) {
	v, err := c.Args[0].Eval(env)
	if err != nil || v.IsNull() {
		return value.Value{}, err
	}
	count, err := env.integer(v)
	for i := int64(0); i < count && err == nil; i++ {
		if _, err = c.Args[1].Eval(env); err == nil && env.Ctx != nil {
			err = env.Ctx.Err()
		}
	}
	return value.NewInt(0), err
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

func evalUUID(*Env, []value.Value) (value.Value, error) {
	b := randomBytes(16)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return value.NewString(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])), nil
}

func evalRandomBytes(env *Env, args []value.Value) (value.Value, error) {
	n, err := env.integer(args[0])
	if err != nil {
		return value.Value{}, err
	}
	if n < 1 || n > 1024 {
		return value.Value{}, mysqlerr.New(mysqlerr.DataOutOfRange, "length value is out of range in 'random_bytes'")
	}
	return value.NewBytes(randomBytes(int(n))), nil
}

// maxAddress is longer than any address, in bytes.
const maxAddress = 64

// addressText is a text that may be an address, cut where it is none.
func addressText(v value.Value) string {
	b := v.AsBytes()
	return string(b[:min(len(b), maxAddress)])
}

// evalInetAton reads a.b.c.d, a.b.d or a.d, as inet_aton does.
func evalInetAton(_ *Env, args []value.Value) (value.Value, error) {
	parts := strings.SplitN(addressText(args[0]), ".", 5)
	var n uint64
	for i, p := range parts {
		b, err := strconv.ParseUint(p, 10, 8)
		if err != nil || len(parts) > 4 {
			return value.Value{}, nil
		}
		if i == len(parts)-1 {
			n <<= 8 * (4 - uint(i))
			return value.NewUint(n | b), nil
		}
		n = n<<8 | b
	}
	return value.Value{}, nil
}

func evalInetNtoa(env *Env, args []value.Value) (value.Value, error) {
	n, err := env.integer(args[0])
	if err != nil || n < 0 || n > 1<<32-1 {
		return value.Value{}, err
	}
	return value.NewString(netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}).String()), nil
}

func evalInet6Aton(_ *Env, args []value.Value) (value.Value, error) {
	addr, err := netip.ParseAddr(addressText(args[0]))
	if err != nil || addr.Zone() != "" {
		return value.Value{}, nil
	}
	return value.NewBytes(addr.AsSlice()), nil
}

func evalInet6Ntoa(_ *Env, args []value.Value) (value.Value, error) {
	addr, ok := netip.AddrFromSlice(args[0].AsBytes())
	if !ok {
		return value.Value{}, nil
	}
	return value.NewString(addr.String()), nil
}

func isAddress(is func(netip.Addr) bool) *function {
	return &function{min: 1, max: 1, typ: smallNotNull, nulls: true, eval: func(_ *Env, args []value.Value) (value.Value, error) {
		addr, err := netip.ParseAddr(addressText(args[0]))
		return value.NewBool(err == nil && addr.Zone() == "" && is(addr)), nil
	}}
}

// evalCharset tells text from binary strings and numbers.
func evalCharset(text, binary string) func(*Call, *Env) (value.Value, error) {
	return func(c *Call, env *Env) (value.Value, error) {
		v, err := c.Args[0].Eval(env)
		if err != nil {
			return v, err
		}
		kind := c.Args[0].Type().Kind
		if kind == value.Null {
			kind = v.Kind()
		}
		if kind != value.Text && kind != value.JSON {
			return value.NewString(binary), nil
		}
		if v.Kind() == value.Text && v.IsCaseSensitive() && strings.HasSuffix(text, "_general_ci") {
			return value.NewString("utf8mb4_bin"), nil
		}
		return value.NewString(text), nil
	}
}
