package shell

import (
	"bufio"
	"database/sql"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// sampleRows is how many rows determine a table's widths: a wider field in a
// later row widens only its own line, so that a result of any length is printed
// while it is read.
const sampleRows = 1000

// tablePrinter aligns columns.
type tablePrinter struct {
	w       *bufio.Writer
	head    []string
	right   []bool
	widths  []int
	sample  [][]string // until the widths are known
	started bool
}

func (p *tablePrinter) begin(columns []*sql.ColumnType) error {
	for _, c := range columns {
		p.head = append(p.head, cli.Escape.Replace(cli.DisplayBytes([]byte(c.Name()))))
		p.right = append(p.right, numeric(c))
	}
	return nil
}

func numeric(c *sql.ColumnType) bool {
	name := c.DatabaseTypeName()
	return strings.HasSuffix(name, "INT") || name == "DOUBLE" || name == "DECIMAL"
}

func (p *tablePrinter) row(values []any) error {
	cells := make([]string, len(values))
	for i, v := range values {
		cells[i] = "NULL"
		if s := cli.Display(v); s != nil {
			cells[i] = cli.EscapeInCell.Replace(*s)
		}
	}
	if p.started {
		return p.cells(cells, p.right)
	}
	if p.sample = append(p.sample, cells); len(p.sample) < sampleRows {
		return nil
	}
	return p.start()
}

// start prints the header and the rows so far.
func (p *tablePrinter) start() error {
	p.started = true
	p.widths = make([]int, len(p.head))
	for _, cells := range append(p.sample, p.head) {
		for i, c := range cells {
			p.widths[i] = max(p.widths[i], text.LongestLineLen(c))
		}
	}
	p.rule()
	if err := p.cells(p.head, make([]bool, len(p.head))); err != nil {
		return err
	}
	p.rule()
	for _, cells := range p.sample {
		if err := p.cells(cells, p.right); err != nil {
			return err
		}
	}
	p.sample = nil
	return nil
}

func (p *tablePrinter) rule() {
	for _, w := range p.widths {
		p.w.WriteString("+" + strings.Repeat("-", w+2))
	}
	p.w.WriteString("+\n")
}

// cells prints a row, whose cells may have several lines.
func (p *tablePrinter) cells(cells []string, right []bool) error {
	lines, height := make([][]string, len(cells)), 1
	for i, c := range cells {
		lines[i] = strings.Split(c, "\n")
		height = max(height, len(lines[i]))
	}
	for n := range height {
		for i := range cells {
			line := ""
			if n < len(lines[i]) {
				line = lines[i][n]
			}
			pad := strings.Repeat(" ", max(p.widths[i]-text.StringWidthWithoutEscSequences(line), 0))
			p.w.WriteString("| ")
			if right[i] {
				p.w.WriteString(pad + line)
			} else {
				p.w.WriteString(line + pad)
			}
			p.w.WriteByte(' ')
		}
		if _, err := p.w.WriteString("|\n"); err != nil {
			return err
		}
	}
	return nil
}

func (p *tablePrinter) end() error {
	if !p.started {
		if err := p.start(); err != nil {
			return err
		}
	}
	p.rule()
	return nil
}

// verticalPrinter prints a line per column, as MySQL's \G does.
type verticalPrinter struct {
	w     *bufio.Writer
	head  []string
	width int
	rows  int
}

func (p *verticalPrinter) begin(columns []*sql.ColumnType) error {
	p.head = labels(columns)
	for _, h := range p.head {
		p.width = max(p.width, text.StringWidthWithoutEscSequences(h))
	}
	return nil
}

func (p *verticalPrinter) row(values []any) error {
	p.rows++
	stars := strings.Repeat("*", 27)
	fmt.Fprintf(p.w, "%s %d. row %s\n", stars, p.rows, stars)
	for i, v := range values {
		cell := "NULL"
		if s := cli.Display(v); s != nil {
			cell = cli.EscapeInCell.Replace(*s)
		}
		pad := strings.Repeat(" ", p.width-text.StringWidthWithoutEscSequences(p.head[i]))
		if _, err := p.w.WriteString(pad + p.head[i] + ": " + cell + "\n"); err != nil {
			return err
		}
	}
	return nil
}

func (p *verticalPrinter) end() error { return nil }
