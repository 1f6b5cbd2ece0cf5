package expr_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/aggregate"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// FuzzEval binds and evaluates any text over rows of any bytes: it may fail, but must not panic.
func FuzzEval(f *testing.F) {
	files, err := filepath.Glob("testdata/oracle/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, line := range strings.Split(string(data), "\n") {
			f.Add(line, []byte("a"), int64(1), "Abc")
		}
	}
	f.Fuzz(func(t *testing.T, text string, k []byte, i int64, s string) {
		b, err := bindText(text)
		if err != nil {
			return
		}
		row := []value.Value{value.NewBytes(k), value.NewInt(i), value.NewBytes([]byte(s)), value.NewString(s), value.NewInt(i), value.NewFloat(float64(i))}
		for range b.aggregates {
			row = append(row, value.NewString(s))
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond) // for SLEEP and BENCHMARK
		defer cancel()
		start := time.Now()
		defer func() {
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("%q took %v", text, took)
			}
		}()
		env := &expr.Env{Row: row, Params: []value.Value{value.NewInt(i), value.NewString(s), value.NewBytes(k)}, Env: function.Env{Ctx: ctx, Session: testSession()}}
		v, err := b.node.Eval(env)
		if err == nil {
			value.AppendKey(nil, v)
			_ = v.String()
		}
		_, _ = expr.Holds(b.node, env)
		_ = expr.Print(b.node)
		for _, agg := range b.aggregates {
			state := aggregate.NewState(agg, &aggregate.Memory{})
			if state.Add(env) == nil {
				_, _ = state.Result()
			}
		}
	})
}
