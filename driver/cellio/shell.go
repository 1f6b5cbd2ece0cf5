package cellio

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// What scan of `hbase shell` prints begins with a header and has a line for each
// cell, or several lines if the cell was wider than the screen:
//
//	ROW                   COLUMN+CELL
//	 u1                   column=info:name, timestamp=1, value=Ann
//	1 row(s)
//
// The bytes are in the notation of Bytes.toStringBinary. HBase 1 prints timestamps as
// milliseconds. HBase 2 prints times, in UTC with a Z or, without one, in the zone of
// the shell's machine: these are read as UTC. Lines before a header and after the
// rows are skipped, so that a whole session with several scans can be read. But a
// line must follow the rows, such as the shell's count of them, because otherwise the
// output may have been cut off.
//
// A shell on a terminal cuts lines at the width of the screen and pads them with
// spaces: spaces at the end of a row key or a value are lost there.

type shellReader struct {
	lines  lineSource
	column int // where the second column begins; 0 if lines are not cut
	inside bool
	seen   bool   // a header
	next   string // a line that was read ahead
	ahead  bool
	at     int // the line of the last cell
}

var (
	shellHeader = regexp.MustCompile(`^ROW( +)COLUMN\+CELL *$`)
	shellCell   = regexp.MustCompile(`(?s)^column=([^:]*):(.*?), timestamp=([^,]+), (?:value=(.*)|type=(\w+))$`)
)

var errNoScan = errors.New("cellio: no header ROW COLUMN+CELL: this is not the output of scan")

// errScanCutOff: the shell prints a line after the rows.
var errScanCutOff = fmt.Errorf("cellio: the output of scan does not end with a count of rows, such as 2 row(s): %w",
	errCutOff)

func (r *shellReader) Read() (Cell, error) {
	for {
		line, err := r.line()
		if err == io.EOF && !r.seen {
			return Cell{}, errNoScan
		}
		if err == io.EOF && r.inside {
			return Cell{}, errScanCutOff
		}
		if err != nil {
			return Cell{}, err
		}
		if m := shellHeader.FindStringSubmatch(line); m != nil {
			r.seen, r.inside, r.column = true, true, len("ROW")+len(m[1])
			if len(m[1]) == 2 {
				r.column = 0 // the shell's output is a file
			}
			continue
		}
		if r.inside = r.inside && strings.HasPrefix(line, " "); r.inside {
			return r.cell(line)
		}
	}
}

// Line implements Reader.
func (r *shellReader) Line() int { return r.at }

// line returns the next line.
func (r *shellReader) line() (string, error) {
	if r.ahead {
		r.ahead = false
		return r.next, nil
	}
	return r.lines.next()
}

// cell reads the cell that begins on a line.
func (r *shellReader) cell(line string) (Cell, error) {
	r.at = r.lines.line
	row, cell, err := r.parts(line)
	if err != nil {
		return Cell{}, err
	}
	c, err := parseShell(row, cell)
	if err != nil {
		return Cell{}, &BadLine{r.at, err.Error()}
	}
	return c, nil
}

// parts returns the row and the rest of a cell, with the pieces of cut lines joined.
func (r *shellReader) parts(line string) (row, cell string, err error) {
	if r.column == 0 {
		row, cell, _ = strings.Cut(line[1:], " column=")
		return row, "column=" + cell, nil
	}
	row, cell = r.cut(line)
	for {
		if r.next, err = r.lines.next(); err == io.EOF {
			break
		}
		if err != nil {
			return "", "", err
		}
		more, rest := r.cut(r.next)
		if r.ahead = !strings.HasPrefix(r.next, " ") || strings.HasPrefix(rest, "column="); r.ahead {
			break
		}
		row, cell = join(row, more), join(cell, rest)
	}
	return strings.TrimRight(row, " "), strings.TrimRight(cell, " "), nil
}

// join appends a piece to its column, unless the piece is only padding.
func join(text, piece string) string {
	if strings.TrimRight(piece, " ") == "" {
		return text
	}
	return text + piece
}

// cut splits a line at the second column.
func (r *shellReader) cut(line string) (row, cell string) {
	if len(line) < r.column {
		return strings.TrimPrefix(line, " "), ""
	}
	return strings.TrimPrefix(line[:r.column-1], " "), line[r.column:]
}

var errShell = errors.New("a cell is printed as row column=family:qualifier, timestamp=t, value=bytes")

func parseShell(row, cell string) (c Cell, err error) {
	m := shellCell.FindStringSubmatch(cell)
	if m == nil {
		return c, errShell
	}
	if m[5] != "" {
		return c, fmt.Errorf("a delete marker (%s) is not a cell: scan without RAW", m[5])
	}
	c.Family = m[1]
	if c.Timestamp, err = shellTime(m[3]); err != nil {
		return c, err
	}
	// HBase reads a backslash that does not begin \xNN as itself.
	if c.Row, err = unescape(row, true); err == nil {
		c.Qualifier, err = unescape(m[2], true)
	}
	if err == nil {
		c.Value, err = unescape(m[4], true)
	}
	return c, err
}

// Times are Java's, which omit seconds and fractions that are zero and put a sign
// before years of more than four digits.
var shellTimes = regexp.MustCompile(`^([+-]?\d{4,9})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?Z?$`)

func shellTime(text string) (int64, error) {
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		return ms, nil
	}
	m := shellTimes.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("the timestamp %q is neither milliseconds nor a time", text)
	}
	var n [6]int
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+1]) // digits, or empty for 0
	}
	nanos, _ := strconv.Atoi((m[7] + "000000000")[:9])
	at := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], nanos, time.UTC)
	if int(at.Month()) != n[1] || at.Day() != n[2] || n[3] > 23 || n[4] > 59 || n[5] > 59 {
		return 0, fmt.Errorf("the timestamp %q is not a time", text)
	}
	return at.UnixMilli(), nil
}

// shellWriter prints as the shell of HBase 1 does into a file, where timestamps
// are exact.
type shellWriter struct {
	w     *bufio.Writer
	last  []byte
	rows  int
	begun bool
}

func (w *shellWriter) header() {
	if !w.begun {
		w.begun = true
		_, _ = w.w.WriteString("ROW  COLUMN+CELL\n") // the buffer keeps its error
	}
}

// Write fails for NULL, which HBase does not have.
func (w *shellWriter) Write(c Cell) error {
	if c.Value == nil {
		return fmt.Errorf("cellio: the cell %s %s:%s is NULL, which HBase's shell cannot print",
			escaped(c.Row), c.Family, escaped(c.Qualifier))
	}
	w.header()
	if w.rows == 0 || string(w.last) != string(c.Row) {
		w.rows++
		w.last = append(w.last[:0], c.Row...)
	}
	out := append(w.w.AvailableBuffer(), ' ')
	out = append(appendEscaped(out, c.Row, upperHex, everything), " column="...)
	out = append(append(out, c.Family...), ':')
	out = append(appendEscaped(out, c.Qualifier, upperHex, everything), ", timestamp="...)
	out = append(strconv.AppendInt(out, c.Timestamp, 10), ", value="...)
	_, err := w.w.Write(append(appendEscaped(out, c.Value, upperHex, everything), '\n'))
	return err
}

func (w *shellWriter) Close() error {
	w.header()
	_, _ = fmt.Fprintf(w.w, "%d row(s)\n", w.rows) // the buffer keeps its error
	return w.w.Flush()
}
