package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// terminalOf is a shell in a terminal that tmux emulates.
type terminalOf struct {
	t      *testing.T
	socket string
	dir    string
}

const screenWidth, screenHeight = 100, 30

// openTerminal starts hbasekv sql on a store in dir.
func openTerminal(t *testing.T, dir string) *terminalOf {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: the shell is not tried in a terminal")
	}
	s := &terminalOf{t: t, dir: dir, socket: filepath.Join(t.TempDir(), "tmux")}
	run := fmt.Sprintf("cd %s; env TERM=screen HBASEKV_HISTFILE=%s/history INPUTRC=/dev/null PAGER=less LESS= "+
		"LESSHISTFILE=- %s/hbasekv sql store; echo left with $?; cat", dir, dir, bin)
	s.tmux("-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(screenWidth), "-y", strconv.Itoa(screenHeight), run)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", s.socket, "kill-server").Run() })
	s.wait("default>")
	return s
}

func (s *terminalOf) tmux(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	require.NoError(s.t, err, "tmux %v: %s", args, out)
	return string(out)
}

// press sends keys by tmux's names.
func (s *terminalOf) press(keys ...string) { s.tmux(append([]string{"send-keys"}, keys...)...) }

// put types text; tmux would interpret a semicolon at its end.
func (s *terminalOf) put(text string) {
	if head, ok := strings.CutSuffix(text, ";"); ok {
		text = head + `\;`
	}
	s.tmux("send-keys", "-l", "--", text)
}

// enter types a line, and the key Enter.
func (s *terminalOf) enter(text string) {
	s.put(text)
	s.press("Enter")
}

func (s *terminalOf) screen() string { return s.tmux("capture-pane", "-p") }

// wait returns the screen when it shows the text.
func (s *terminalOf) wait(text string) string {
	s.t.Helper()
	return s.until(text, func(screen string) bool { return strings.Contains(screen, text) })
}

func (s *terminalOf) until(what string, ok func(screen string) bool) string {
	s.t.Helper()
	screen := ""
	for range 600 { // a minute, because the machine may be busy
		if screen = s.screen(); ok(screen) {
			return screen
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.t.Fatalf("no %q on the screen:\n%s", what, screen)
	return ""
}

// prompt waits for an empty prompt at the end of the screen.
func (s *terminalOf) prompt() string {
	s.t.Helper()
	return s.until("prompt", func(screen string) bool {
		return strings.HasSuffix(strings.TrimRight(screen, "\n "), "default>")
	})
}

// clear empties the screen.
func (s *terminalOf) clear() {
	s.prompt()
	s.press("C-l")
	s.until("empty screen", func(screen string) bool { return strings.TrimSpace(screen) == "default>" })
}

const shellTable = "CREATE TABLE user$op (K varbinary(64), Q varbinary(20), T bigint, V varbinary(1000), " +
	"PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3"

func TestShellEditing(t *testing.T) {
	dir := t.TempDir()
	runSQL(t, dir, shellTable)
	s := openTerminal(t, dir)

	// A statement of two lines, the first of which is corrected before Enter.
	s.put("insert into user$op values ('a', 'q', 1, 'first')X")
	s.press("BSpace")
	s.put(",")
	s.press("Enter")
	s.put("('b', 'q', 1, 'sexond');")
	s.press(strings.Fields(strings.Repeat("Left ", 6))...)
	s.press("BSpace")
	s.put("c")
	s.press("End", "Enter")
	s.wait("OK, 2 rows affected")
	s.clear()
	s.enter("select K, V from user$op order by K;")
	screen := s.wait("2 rows in")
	require.Contains(t, screen, "| a | first  |\n| b | second |\n")

	// Ctrl-C discards what is typed.
	s.prompt()
	s.put("drop table user$op")
	s.press("C-c")
	s.prompt()

	// The history has whole statements, also after a restart.
	s.press("Up")
	s.wait("default> select K, V from user$op order by K;")
	s.press("C-c")
	s.prompt()
	s.press("C-d")
	s.wait("left with 0")
	s = openTerminal(t, dir)
	s.press("Up", "Up")
	s.wait("('b', 'q', 1, 'second');")
	s.press("C-c")
	s.prompt()
	s.press("C-r")
	s.put("order by")
	s.press("Enter")
	s.wait("order by K;")
	info, err := os.Stat(filepath.Join(dir, "history"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestShellCompletion(t *testing.T) {
	dir := t.TempDir()
	runSQL(t, dir, shellTable+"; CREATE DATABASE warehouse; CREATE VIEW folk AS SELECT K AS surname, V FROM user$op")
	s := openTerminal(t, dir)
	s.put("sele")
	s.press("Tab")
	s.wait("default> select")
	s.put(" * from fo")
	s.press("Tab")
	s.wait("select * from folk")
	s.put(" where su")
	s.press("Tab")
	s.wait("where surname")
	s.put(" = 'x';")
	s.press("Enter")
	s.wait("0 rows in")
	s.prompt()
	s.put("USE ware")
	s.press("Tab")
	s.wait("USE warehouse")
	s.put(";")
	s.press("Enter")
	s.wait("warehouse>")
}

func TestShellCommands(t *testing.T) {
	dir := t.TempDir()
	runSQL(t, dir, shellTable+"; INSERT INTO user$op VALUES ('ann', 'q', 1, 'v')")
	s := openTerminal(t, dir)
	s.enter(`\d`)
	require.Regexp(t, `\| user\$op +\| BASE TABLE \|`, s.wait("2 rows in"))
	s.clear()
	s.enter(`\d user$op`)
	screen := s.wait("PARTITION BY KEY")
	require.Regexp(t, `\| T +\| bigint\(20\) +\| NO +\| PRI \|`, screen)
	s.clear()
	s.enter(`\timing off`)
	s.wait("Timing is off.")
	s.enter(`\x`)
	s.wait("Expanded display is on.")
	s.enter("SELECT K, V FROM user$op;")
	screen = s.wait("1 row\n")
	require.Contains(t, screen, "1. row")
	require.Contains(t, screen, "K: ann\nV: v\n1 row\n")
	s.enter(`\x off`)
	s.wait("Expanded display is off.")
	s.clear()
	s.enter(`SELECT 7 AS n\G`)
	s.wait("n: 7")
	s.clear()

	// The plan of what is typed, which is then run.
	s.put("SELECT V FROM user$op WHERE K = 'ann'")
	s.press("F5")
	s.wait("-> Point lookup of user$op")
	s.put(";")
	s.press("Enter")
	s.wait("1 row\n")
	s.clear()
	s.enter("SELECT nonsense;")
	s.wait("ERROR: Error 1054")
	s.enter(`\nonsense`)
	s.wait("there is no command")
	s.enter(`\?`)
	s.wait("Ctrl-R searches the history")
	s.enter(`\q`)
	s.wait("left with 0")
}

// TestShellCancel: Ctrl-C ends the statement, but not the shell or its session.
func TestShellCancel(t *testing.T) {
	dir := t.TempDir()
	runSQL(t, dir, shellTable)
	s := openTerminal(t, dir)
	s.enter("SET @kept = 42;")
	s.wait("OK in")
	s.clear()
	s.enter("SELECT SLEEP(600);")
	for at := 0; at < 60 && !strings.Contains(s.screen(), "ERROR:"); at++ {
		if at%10 == 0 { // the statement may not have begun at the first one
			s.press("C-c")
		}
		time.Sleep(300 * time.Millisecond)
	}
	s.wait("ERROR:")
	s.prompt()
	s.enter("SELECT @kept + 1 AS kept;")
	require.Regexp(t, `\| +43 +\|`, s.wait("1 row in"))
}

// TestShellWide pages a row that is wider than the screen, and can be scrolled.
func TestShellWide(t *testing.T) {
	dir := t.TempDir()
	runSQL(t, dir, shellTable+"; INSERT INTO user$op VALUES ('ann', 'q', 1, CONCAT(REPEAT('x', 250), 'the end'))")
	s := openTerminal(t, dir)
	s.enter("SELECT V, K FROM user$op;")
	screen := s.wait("(END)")
	require.NotContains(t, screen, "the end")
	s.press("Right", "Right", "Right", "Right", "Right")
	s.wait("the end")
	s.press("q")
	s.prompt()
}

// TestShellPages pages a million rows, which are not kept in memory.
func TestShellPages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ten := "(SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 " +
		"UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)"
	from := ten + " AS a"
	for _, name := range []string{"b", "c", "d", "e", "f"} {
		from += ", " + ten + " AS " + name
	}
	s := openTerminal(t, dir)
	s.enter("SELECT REPEAT('v', 90) AS v, " +
		"((((a.n * 10 + b.n) * 10 + c.n) * 10 + d.n) * 10 + e.n) * 10 + f.n AS n FROM " + from + ";")
	s.until("the first page", func(screen string) bool { return strings.Count(screen, "| vvvvv") > screenHeight/2 })
	before := peakMemory(t, dir)
	s.put("G") // to the end: less reads everything
	s.wait("1,000,000 rows in")
	after := peakMemory(t, dir)
	require.Less(t, after-before, 64<<10, "KiB more for 100 MB of rows")
	s.press("q")
	s.prompt()

	// Leaving the pager ends the statement.
	s.clear()
	s.press("Up", "Enter")
	s.until("the first page", func(screen string) bool { return strings.Count(screen, "| vvvvv") > screenHeight/2 })
	s.press("q")
	s.prompt()
}

// peakMemory is the peak resident memory of the shell in dir, in KiB.
func peakMemory(t *testing.T, dir string) int {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cwd")
	require.NoError(t, err)
	for _, cwd := range all {
		if at, err := os.Readlink(cwd); err != nil || at != dir {
			continue
		}
		name, err := os.ReadFile(filepath.Join(filepath.Dir(cwd), "comm"))
		if err != nil || strings.TrimSpace(string(name)) != "hbasekv" {
			continue
		}
		status, err := os.ReadFile(filepath.Join(filepath.Dir(cwd), "status"))
		require.NoError(t, err)
		for line := range strings.Lines(string(status)) {
			if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
				n, err := strconv.Atoi(strings.Fields(rest)[0])
				require.NoError(t, err)
				return n
			}
		}
	}
	t.Skip("there is no /proc to look at")
	return 0
}
