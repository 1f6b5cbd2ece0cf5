package shell

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/reeflective/readline"
	"golang.org/x/term"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// shell reads statements and its own commands from a terminal. Ctrl-C discards
// the input or cancels what runs; Ctrl-D ends the shell.
type shell struct {
	*Command
	db       *sql.DB // used by completion, which must not affect the session
	conn     *sql.Conn
	editor   *readline.Shell
	database string // the session's current database
	pager    []string
	vertical bool // results have a line per column
}

func newShell(c *Command, db *sql.DB, conn *sql.Conn) *shell {
	s := &shell{Command: c, db: db, conn: conn, editor: readline.NewShell(), pager: pagerProgram()}
	c.page = s.page
	s.editor.Prompt.Primary(func() string { return s.database + "> " })
	s.editor.Prompt.Secondary(func() string { return strings.Repeat(" ", max(len(s.database)-2, 0)) + "-> " })
	s.editor.AcceptMultiline = func(line []rune) bool { return complete(string(line)) }
	s.editor.Completer = s.completions
	s.bindKeys()
	if file := historyFile(); file != "" {
		if f, err := os.OpenFile(file, os.O_CREATE|os.O_RDONLY, 0o600); err == nil {
			f.Close()
			if h, err := readline.NewHistoryFromFile(file); err == nil {
				s.editor.History.Add("statements", boundedHistory{h})
			}
		}
	}
	return s
}

// bindKeys adds to the editor's keys that for the plan, and those that terminals
// send for Home and End.
func (s *shell) bindKeys() {
	// Each prompt begins a line. Asking the terminal for its position would lose
	// keys that are typed before it has answered.
	_ = s.editor.Config.Set("cursor-position-probe", false)
	s.editor.SyntaxHighlighter = func(line []rune) string { return string(line) + rowBelow }
	s.editor.Keymap.Register(map[string]func(){"explain-statement": s.explainTyped})
	for keys, action := range map[string]string{
		"\x1b[15~": "explain-statement", "\x18p": "explain-statement", // F5, and Ctrl-X p
		"\x1b[1~": "beginning-of-line", "\x1b[4~": "end-of-line",
	} {
		for _, keymap := range []string{"emacs", "vi-insert"} {
			_ = s.editor.Config.Bind(keymap, keys, action, false)
		}
	}
}

// rowBelow scrolls when on the last line of the screen, and returns: the
// editor, which does not know the prompt's position, relies on a row below its
// line.
const rowBelow = "\x1bD\x1b[A"

// historyFile is where typed statements are kept; HBASEKV_HISTFILE names another
// file, or none if it is empty.
func historyFile() string {
	if file, ok := os.LookupEnv("HBASEKV_HISTFILE"); ok {
		return file
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".hbasekv_history")
}

// boundedHistory omits statements whose line is too long for the file's reader, and
// those that may contain a password.
type boundedHistory struct{ readline.History }

func (h boundedHistory) Write(line string) (int, error) {
	if len(line) > 16<<10 {
		return h.Len(), nil
	}
	if driver.Shown(line) != line {
		return h.Len(), nil
	}
	return h.History.Write(line)
}

// run reads until Ctrl-D or \q. A statement's error does not end it.
func (s *shell) run(ctx context.Context) error {
	if state, err := term.GetState(int(os.Stdin.Fd())); err == nil {
		stop := context.AfterFunc(ctx, func() { s.leave(state) })
		defer stop()
	}
	if err := s.conn.QueryRowContext(ctx, "SELECT COALESCE(DATABASE(), '')").Scan(&s.database); err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "hbasekv shell: statements end with ; or \\G, \\? is help, Ctrl-D ends.\n")
	for {
		fmt.Fprint(s.Out, rowBelow)
		line, err := s.editor.Readline()
		switch {
		case errors.Is(err, readline.ErrInterrupt):
			continue
		case errors.Is(err, io.EOF):
			fmt.Fprintln(s.Out)
			return nil
		case err != nil:
			return err
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := s.interruptible(ctx, line); errors.Is(err, errQuit) {
			return nil
		} else if err != nil && !errors.Is(err, errPagerLeft) {
			fmt.Fprintln(s.Err, "ERROR:", explainShell(err))
		}
	}
}

// leave ends the shell when it is told to from outside: it closes the store and
// restores the terminal.
func (s *shell) leave(state *term.State) {
	_ = term.Restore(int(os.Stdin.Fd()), state)
	_ = closeAll(s.conn, s.db)
	os.Exit(1)
}

func explainShell(err error) string {
	if errors.Is(err, context.Canceled) {
		return "cancelled"
	}
	return strings.TrimPrefix(err.Error(), "hbasekv: ")
}

// interruptible runs one line; Ctrl-C cancels it.
func (s *shell) interruptible(ctx context.Context, line string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	if strings.HasPrefix(line, `\`) {
		return s.command(ctx, line)
	}
	switch strings.ToLower(strings.TrimRight(line, "; ")) {
	case "exit", "quit":
		return errQuit
	case "help":
		return s.command(ctx, `\?`)
	}
	return s.statements(ctx, line)
}

// statements runs what was typed, up to the first error.
func (s *shell) statements(ctx context.Context, text string) error {
	text, vertical := strings.CutSuffix(text, `\G`)
	s.Format = "table"
	if vertical || s.vertical {
		s.Format = "vertical"
	}
	parts, err := driver.SplitScript(text)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err := s.statement(ctx, s.conn, part.Text); err != nil {
			return err
		}
		s.follow(part.Text)
	}
	return nil
}

// follow records the database that USE has chosen.
func (s *shell) follow(text string) {
	if words := strings.Fields(text); len(words) > 1 && strings.EqualFold(words[0], "use") {
		s.database = strings.Trim(words[1], "`")
	}
}

// page returns where a result is written to.
func (s *shell) page() (io.Writer, func() error) {
	out, ok := s.Out.(*os.File)
	if !ok {
		return s.Out, func() error { return nil }
	}
	p := newPager(out, s.pager)
	return p, p.Close
}

// complete reports whether what is typed can be run: a command of the shell, or
// statements of which the last is complete.
func complete(text string) bool {
	text = strings.TrimSpace(text)
	switch strings.ToLower(text) {
	case "", "exit", "quit", "help":
		return true
	}
	if strings.HasPrefix(text, `\`) {
		return true
	}
	if body, ok := strings.CutSuffix(text, `\G`); ok {
		text = body + ";"
	}
	// Another statement adds one only if the last one is complete.
	before, err1 := driver.SplitScript(text)
	behind, err2 := driver.SplitScript(text + " SELECT 1")
	return err1 == nil && err2 == nil && len(behind) > len(before)
}

// explainTyped shows the plan of what is typed, which stays in the editor.
func (s *shell) explainTyped() {
	text := strings.TrimRight(strings.TrimSpace(string(*s.editor.Line())), "; \n")
	if text == "" || strings.HasPrefix(text, `\`) {
		return
	}
	conn, err := s.aside(context.Background())
	if err == nil {
		defer conn.Close()
		var plan string
		err = conn.QueryRowContext(context.Background(), "EXPLAIN FORMAT=TREE "+text).Scan(&plan)
		text = strings.TrimRight(plan, "\n")
	}
	if err != nil {
		text = "ERROR: " + explainShell(err)
	}
	_, _ = s.editor.Printf("%s\n", text)
}

// aside is another connection than the session's, with the same database.
func (s *shell) aside(ctx context.Context) (*sql.Conn, error) {
	conn, err := s.db.Conn(ctx)
	if err != nil || s.database == "" {
		return conn, err
	}
	if _, err := conn.ExecContext(ctx, "USE "+cli.QuoteName(s.database)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}
