package house

import (
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// size is the size of a package's code without its tests: lines, and the files in its
// largest cycle, each of which needs names of all the others, directly or not.
type size struct{ lines, circle int }

// roomy is the maximum size of a package that is not among the large ones. Its cycle may
// also have a third of its files.
var roomy = size{3500, 12}

// large are the packages that exceed it, each with its own maximum. If a change makes one
// smaller, lower its figures; none may grow, and none is added.
var large = map[string]size{
	"kv/hbase":                  {7500, 23},
	"kv/pebblekv/internal/read": {5000, 17},
	"sqlfront/parse":            {6110, 33},
}

func (s size) exceeds(most size) bool { return s.lines > most.lines || s.circle > most.circle }

// TestRooms checks the sizes of the packages.
func TestRooms(t *testing.T) {
	config := packages.Config{Dir: filepath.Join("..", ".."), Mode: packages.NeedName | packages.NeedFiles |
		packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports}
	found, err := packages.Load(&config, "./...", "./kv/hbase/...", "./driver/mysqlserver/...", "./driver/hbaseserver/...",
		"./driver/cmd/hbasekv/...")
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for _, p := range found {
		require.Empty(t, p.Errors)
		name, have := strings.TrimPrefix(p.PkgPath, harness.Module), sizeOf(t, p)
		most, listed := large[name]
		if !listed {
			most = roomy
			most.circle = max(most.circle, len(p.GoFiles)/3)
		}
		if have.exceeds(most) {
			t.Errorf("%s has %d lines and %d of %d files in one circle: at most %d and %d", name, have.lines, have.circle,
				len(p.GoFiles), most.lines, most.circle)
		}
	}
}

func sizeOf(t *testing.T, p *packages.Package) (out size) {
	for _, file := range p.GoFiles {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		out.lines += strings.Count(string(text), "\n")
	}
	needs := &calls{map[string]map[string]bool{}}
	for id, object := range p.TypesInfo.Uses {
		if object.Pkg() == p.Types && object.Pos() != token.NoPos && shared(p.Types, object) {
			needs.add(p.Fset.Position(id.Pos()).Filename, p.Fset.Position(object.Pos()).Filename)
		}
	}
	for _, files := range needs.cycles() {
		out.circle = max(out.circle, len(files))
	}
	return out
}

// shared reports whether an object counts when files of a package use each other's:
// one in the package's scope, a method, or a field.
func shared(p *types.Package, object types.Object) bool {
	switch o := object.(type) {
	case *types.Func:
		return true
	case *types.Var:
		return o.IsField() || o.Parent() == p.Scope()
	}
	return object.Parent() == p.Scope()
}
