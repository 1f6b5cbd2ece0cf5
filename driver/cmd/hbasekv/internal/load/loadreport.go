package load

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"

	"github.com/hbasekv/hbasekv/driver/cellio"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// reporter returns where bad lines and progress are reported.
func (c *Command) reporter(in *input) (report reporter, finish func(), err error) {
	lines := &lineReporter{w: c.Err}
	lines.commits = c.Progress == "lines"
	if show, err := cli.WantsBar(c.Progress, c.Err, "lines"); err != nil || !show {
		return lines, func() {}, err
	}
	bar := progressbar.NewOptions64(in.size, progressbar.OptionSetWriter(c.Err), progressbar.OptionShowBytes(true),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetDescription("loading"))
	return &barReporter{lineReporter: lines, bar: bar, in: in}, func() { _ = bar.Finish() }, nil
}

// reporter is told what happens during a load.
type reporter interface {
	bad(at string, err error)
	committed(total)
	reading() // is called repeatedly
}

// lineReporter writes a line for each bad line, up to maxReported.
type lineReporter struct {
	w        io.Writer
	commits  bool // also a line for each commit
	reported int
}

const maxReported = 100

func (r *lineReporter) bad(at string, err error) {
	if r.reported++; r.reported > maxReported {
		return
	}
	var unreadable *cellio.BadLine
	if errors.As(err, &unreadable) {
		err = errors.New(unreadable.Reason)
	}
	fmt.Fprintf(r.w, "%s: %v\n", at, err)
	if r.reported == maxReported {
		fmt.Fprintln(r.w, "further bad lines are counted and not shown")
	}
}

func (r *lineReporter) committed(t total) {
	if r.commits {
		fmt.Fprintf(r.w, "committed %d lines\n", t.lines)
	}
}

func (*lineReporter) reading() {}

// barReporter shows a bar of how much of the file has been read.
type barReporter struct {
	*lineReporter
	bar *progressbar.ProgressBar
	in  *input
}

func (r *barReporter) bad(at string, err error) {
	_ = r.bar.Clear()
	r.lineReporter.bad(at, err)
}

func (r *barReporter) committed(total) { r.reading() }

func (r *barReporter) reading() { _ = r.bar.Set64(r.in.read.Load()) }

// total counts what has been committed.
type total struct {
	lines int    // read, without the header and empty lines
	last  string // where the last of them is in the file
	rows  int    // lines that were loaded
	cells int
	bad   int // lines that were not
}

func (t total) summary(outcome, tables string, took time.Duration) string {
	rate := float64(t.cells) / max(took.Seconds(), 1e-9)
	return fmt.Sprintf("%s: %s, %s, %s into %s, %s, %v, %s cells/s", outcome,
		cli.Plural(t.lines, "line"), cli.Plural(t.rows, "row"), cli.Plural(t.cells, "cell"), tables,
		cli.Plural(t.bad, "bad line"), took.Round(time.Millisecond), humanize.Comma(int64(rate)))
}

// loaded says what is in the table after a load that stopped.
func (t total) loaded() string {
	if t.rows == 0 {
		return "nothing was loaded"
	}
	return fmt.Sprintf("loaded up to and including %s", t.last)
}
