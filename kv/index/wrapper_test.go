package index_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testgc"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
)

func TestMain(m *testing.M) {
	testgc.Seldom()
	m.Run()
}

// TestSuite runs the suite that every store passes.
func TestSuite(t *testing.T) {
	kvtest.Run(t, func(t testing.TB, clock func() time.Time) kvtest.Opener {
		fs := vfs.NewMem()
		return func(t testing.TB) kv.Store {
			s, err := pebblekv.OpenReopener(pebblekv.Options{Dir: "d", FS: fs, MaxRegionBytes: -1, CollectEvery: -1, Now: clock})
			require.NoError(t, err)
			return index.Wrap(s, maker)
		}
	})
}

// TestInterfaces requires that the wrapper and its transactions implement the interfaces that the
// wrapped ones do. It lists, for each interface of package kv, which type implements it.
func TestInterfaces(t *testing.T) {
	wrapper, txn := reflect.TypeFor[*index.Store](), reflect.TypeFor[*index.Txn]()
	of := map[string]struct{ is, has reflect.Type }{
		"Store":          {reflect.TypeFor[kv.Store](), wrapper},
		"Announcer":      {reflect.TypeFor[kv.Announcer](), wrapper},
		"Backuper":       {reflect.TypeFor[kv.Backuper](), wrapper},
		"BoundsFinder":   {reflect.TypeFor[kv.BoundsFinder](), wrapper},
		"BulkLoader":     {reflect.TypeFor[kv.BulkLoader](), wrapper},
		"CheckedChanger": {reflect.TypeFor[kv.CheckedChanger](), wrapper},
		"Checker":        {reflect.TypeFor[kv.Checker](), wrapper},
		"Collector":      {reflect.TypeFor[kv.Collector](), wrapper},
		"Compacter":      {reflect.TypeFor[kv.Compacter](), wrapper},
		"Counters":       {reflect.TypeFor[kv.Counters](), wrapper},
		"Estimator":      {reflect.TypeFor[kv.Estimator](), wrapper},
		"Flusher":        {reflect.TypeFor[kv.Flusher](), wrapper},
		"HealthReader":   {reflect.TypeFor[kv.HealthReader](), wrapper},
		"LoadReader":     {reflect.TypeFor[kv.LoadReader](), wrapper},
		"Measured":       {reflect.TypeFor[kv.Measured](), wrapper},
		"Repartitioner":  {reflect.TypeFor[kv.Repartitioner](), wrapper},
		"StatsReader":    {reflect.TypeFor[kv.StatsReader](), wrapper},
		"Txn":            {reflect.TypeFor[kv.Txn](), txn},
		"Indexed":        {reflect.TypeFor[kv.Indexed](), txn},
		"Observed":       {reflect.TypeFor[kv.Observed](), txn},
		"RangeDeleter":   {reflect.TypeFor[kv.RangeDeleter](), txn},
		"ColumnsDeleter": {reflect.TypeFor[kv.ColumnsDeleter](), txn},
		"Warner":         {reflect.TypeFor[kv.Warner](), txn},
		"Explainer":      {reflect.TypeFor[kv.Explainer](), txn},
		"Releaser":       {reflect.TypeFor[kv.Releaser](), txn},

		"Limited": {}, // a wrapped store supports everything
		// Interfaces of cursors, which are the wrapped transaction's own.
		"Cursor": {}, "Batcher": {}, "Divider": {}, "RunCounter": {}, "Skipper": {},
		// Passed to stores, or returned by them.
		"Check": {}, "Descriptor": {}, "Layouts": {}, "Progress": {},
	}
	for name, each := range of {
		require.True(t, each.is == nil || each.has.Implements(each.is), name)
	}
	files, err := filepath.Glob("../*.go")
	require.NoError(t, err)
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && ast.IsExported(spec.Name.Name) && !strings.HasSuffix(file, "_test.go") {
				if _, ok := spec.Type.(*ast.InterfaceType); ok {
					require.Contains(t, of, spec.Name.Name, "nobody knows here whose it is")
				}
			}
			return true
		})
	}
}
