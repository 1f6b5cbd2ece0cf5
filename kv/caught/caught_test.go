package caught_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/caught"
)

func TestPanicIsCarried(t *testing.T) {
	plain := errors.New("plain")
	require.Equal(t, plain, caught.Do(func() error { return plain }))
	require.NotPanics(t, func() { caught.Throw(plain); caught.Throw(nil) })

	var none []int
	err := caught.Do(func() error { none[len(none)]++; return nil })
	var p *caught.Panic
	require.ErrorAs(t, err, &p)
	require.Contains(t, err.Error(), "index out of range")
	require.Contains(t, string(p.Stack), "TestPanicIsCarried")
	require.PanicsWithValue(t, p, func() { caught.Throw(fmt.Errorf("wrapped: %w", err)) })
	again := caught.Do(func() error { caught.Throw(err); return nil })
	require.Same(t, p, again, "with its first stack")
	require.Equal(t, "panic: a string", caught.Do(func() error { panic("a secret") }).Error())
}
