package main

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

var systems = flag.Bool("systems", false, "check the types of the command for all systems of a release")

// TestSystems checks the types of the command, and of all that it imports, for each system of a release: that
// takes seconds, and building it minutes. Of what a build can complain of, only assembly and the linker are left.
func TestSystems(t *testing.T) {
	if !*systems {
		t.Skip("it takes seven seconds a system: -systems")
	}
	all, err := parseTargets(allTargets)
	require.NoError(t, err)
	for _, each := range all {
		checked, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
				packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesSizes,
			Env: append(os.Environ(), "CGO_ENABLED=0", "GOOS="+each.os, "GOARCH="+each.arch),
		}, modulePath(command))
		require.NoError(t, err)
		n := 0
		packages.Visit(checked, nil, func(p *packages.Package) {
			n++
			require.Empty(t, p.Errors, "%s: %s", each, p.PkgPath)
		})
		require.Greater(t, n, 100, "%s: it did not find what the command imports", each)
	}
}
