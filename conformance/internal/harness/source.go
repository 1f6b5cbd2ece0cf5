package harness

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// Module is the prefix of all import paths of the project.
const Module = "github.com/hbasekv/hbasekv/"

// GoTool runs the go command in the repository's root, with the workspace or
// with the given GOWORK.
func GoTool(t *testing.T, workspace string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = "../..", os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK="+workspace)
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}
