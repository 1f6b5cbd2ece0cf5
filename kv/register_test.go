package kv

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRegister(t *testing.T) {
	failed := errors.New("failed")
	var got string
	t.Cleanup(func() { delete(openers.byScheme, "test-scheme") }) // for -count
	Register("test-scheme", func(_ context.Context, uri string) (Store, error) {
		got = uri
		return nil, failed
	})
	_, err := Open(context.Background(), "test-scheme://a,b/?x=y")
	require.Equal(t, failed, err)
	require.Equal(t, "test-scheme://a,b/?x=y", got)
	require.Panics(t, func() { Register("test-scheme", nil) })
	_, err = Open(context.Background(), "other://a")
	require.ErrorContains(t, err, "unknown store other://")
	require.NotContains(t, err.Error(), "kv/other") // there is no such package
	_, err = Open(context.Background(), "hbase://a")
	require.ErrorContains(t, err, `import _ "github.com/hbasekv/hbasekv/kv/hbase"`)
	_, err = Open(context.Background(), "./path")
	require.Error(t, err)
}
