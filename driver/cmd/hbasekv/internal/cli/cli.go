package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// WithUsage adds the usage to the error of a wrong number of arguments.
func WithUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return fmt.Errorf("%w\nusage: %s\n%s --help tells more", err, cmd.UseLine(), cmd.CommandPath())
		}
		return nil
	}
}

// TakeDSN takes the first argument as dsn if no flag has set it.
func TakeDSN(dsn string, args []string) (string, []string, error) {
	switch {
	case dsn != "":
		return dsn, args, nil
	case len(args) == 0:
		return "", nil, errors.New("no data source name: give one, such as ./data, as the first argument or with --dsn")
	}
	return args[0], args[1:], nil
}

// WantsBar reports whether --progress selects a bar; also lists the command's
// other values. Unknown values are errors.
func WantsBar(progress string, out io.Writer, also ...string) (bool, error) {
	switch {
	case progress == "auto":
		return Terminal(out), nil
	case progress == "bar" || progress == "none" || slices.Contains(also, progress):
		return progress == "bar", nil
	}
	return false, fmt.Errorf("--progress %q: %s, none or auto is needed", progress, strings.Join(append([]string{"bar"}, also...), ", "))
}

func Terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return humanize.Comma(int64(n)) + " " + noun + "s"
}

// ProgressLines is the number of lines between two updates of the progress.
const ProgressLines = 1000
