package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// errQuit ends the shell.
var errQuit = errors.New("quit")

// shellCommand is a command of the shell itself.
type shellCommand struct {
	name, args, about string
	run               func(s *shell, ctx context.Context, arg string) error
}

// shellCommands is a function because \? lists them.
func shellCommands() []shellCommand {
	return []shellCommand{
		{`\d`, "[TABLE]", "list tables and views, or show one", (*shell).describe},
		{`\l`, "", "list databases", func(s *shell, ctx context.Context, _ string) error {
			return s.statements(ctx, "SHOW DATABASES")
		}},
		{`\p`, "TABLE", "show what each partition holds", func(s *shell, ctx context.Context, arg string) error {
			return s.statements(ctx, "SHOW PARTITIONS FROM "+cli.QuoteName(arg))
		}},
		{`\i`, "FILE", "run the statements of a file", func(s *shell, ctx context.Context, arg string) error {
			script, err := os.Open(arg)
			if err != nil {
				return err
			}
			defer script.Close()
			return s.Stream(ctx, s.conn, script)
		}},
		{`\x`, "[on|off]", "show results with a line a column", func(s *shell, _ context.Context, arg string) error {
			return s.toggle(&s.vertical, arg, "Expanded display")
		}},
		{`\timing`, "[on|off]", "show how long statements take", func(s *shell, _ context.Context, arg string) error {
			return s.toggle(&s.Timing, arg, "Timing")
		}},
		{`\pager`, "[off|PROGRAM]", "show long and wide results through PAGER or less, or not", (*shell).setPager},
		{`\?`, "", "this list", func(s *shell, _ context.Context, _ string) error { return s.help() }},
		{`\q`, "", "end the shell", func(*shell, context.Context, string) error { return errQuit }},
	}
}

func (s *shell) command(ctx context.Context, line string) error {
	name, arg, _ := strings.Cut(strings.TrimRight(line, "; "), " ")
	for _, c := range shellCommands() {
		if c.name != name {
			continue
		}
		if arg = strings.TrimSpace(arg); arg == "" && c.args != "" && !strings.HasPrefix(c.args, "[") {
			return fmt.Errorf("%s wants %s", name, c.args)
		}
		return c.run(s, ctx, arg)
	}
	return fmt.Errorf(`there is no command %s; \? lists them`, name)
}

func (s *shell) help() error {
	for _, c := range shellCommands() {
		fmt.Fprintf(s.Out, "  %-8s %-14s %s\n", c.name, c.args, c.about)
	}
	fmt.Fprint(s.Out, `
  Statements end with ; or, for a line a column, with \G.
  Tab completes keywords, tables and columns. Ctrl-R searches the history.
  F5 or Ctrl-X p shows the plan of what is typed. Ctrl-C drops it, or cancels what runs.

`)
	return nil
}

// toggle sets a switch to arg, or toggles it.
func (s *shell) toggle(on *bool, arg, what string) error {
	switch strings.ToLower(arg) {
	case "":
		*on = !*on
	case "on", "off":
		*on = strings.EqualFold(arg, "on")
	default:
		return fmt.Errorf("%q is neither on nor off", arg)
	}
	fmt.Fprintf(s.Out, "%s is %s.\n", what, map[bool]string{true: "on", false: "off"}[*on])
	return nil
}

func (s *shell) setPager(_ context.Context, arg string) error {
	switch arg {
	case "":
		s.pager = pagerProgram()
	case "off":
		s.pager = nil
	default:
		s.pager = strings.Fields(arg)
	}
	if len(s.pager) == 0 {
		fmt.Fprintln(s.Out, "Pager is off.")
		return nil
	}
	fmt.Fprintf(s.Out, "Pager is %s.\n", strings.Join(s.pager, " "))
	return nil
}

// describe lists the tables, or shows one: its columns and its partitions.
func (s *shell) describe(ctx context.Context, name string) error {
	if name == "" {
		return s.statements(ctx, "SHOW FULL TABLES")
	}
	if err := s.statements(ctx, "DESCRIBE "+cli.QuoteName(strings.ReplaceAll(name, "`", ""))); err != nil {
		return err
	}
	rows, err := s.conn.QueryContext(ctx, "SHOW CREATE TABLE "+cli.QuoteName(strings.ReplaceAll(name, "`", "")))
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil || !rows.Next() {
		return errors.Join(err, rows.Err())
	}
	values, into := make([]string, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		return err
	}
	if i := strings.Index(values[1], "PARTITION BY "); i >= 0 {
		fmt.Fprintf(s.Out, "%s\n\n", values[1][i:])
	}
	return nil
}
