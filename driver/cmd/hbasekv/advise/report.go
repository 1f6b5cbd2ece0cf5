package advise

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Report is the advice as text. Only statements to copy are indented by four
// spaces.
func (a *Advice) Report() string {
	var b strings.Builder
	for i, section := range []func() string{a.reportTable, a.reportSizes, a.reportOrder, a.reportLayouts, a.reportQueries, a.reportVerdict} {
		if text := section(); text != "" {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(text)
		}
	}
	return b.String()
}

func (a *Advice) reportTable() string {
	t := a.table
	read := "all of them were read"
	if !t.sample.whole {
		read = fmt.Sprintf("%s were read, %d runs in each partition, so that the figures are estimates", plural(len(t.sample.rows), "row"), places)
	}
	layout := strings.Join(strings.Fields(t.layout), " ")
	if len(layout) > 120 {
		layout = layout[:117] + "..."
	}
	return fmt.Sprintf("%s: about %s, %s; %s\n  %s, %s\n", t.plain, plural(int(t.cells()), "cell version"),
		humanize.IBytes(uint64(max(t.bytes(), 0))), read, plural(len(t.partitions), "partition"), layout)
}

func (a *Advice) reportSizes() string {
	s := &a.table.sample
	if len(s.rows) == 0 {
		return "Sizes\n  The table is empty: load some typical rows first.\n"
	}
	k, q, v := a.lengths()
	longest, most := 0, int64(0)
	for _, r := range s.rows {
		longest, most = max(longest, len(r.key)), max(most, r.cells)
	}
	const timestamp = 8
	key := k + q + timestamp
	return fmt.Sprintf("Sizes\n  mean bytes: K %.0f (longest %d), Q %.0f, T %d, V %.0f (longest seen %d); %.1f cells a row (most %s)\n"+
		"  The key of a cell is %s of it before compression.\n",
		k, longest, q, timestamp, v, s.valueMax, float64(s.cellCount())/float64(len(s.rows)), humanize.Comma(most), percent(key/(key+v)))
}

func (a *Advice) reportOrder() string {
	o := &a.order
	var b strings.Builder
	b.WriteString("Order of writes\n")
	if o.times.name != "" {
		fmt.Fprintf(&b, "  Keys begin with %s.", o.times.name)
		if o.loaded {
			fmt.Fprintf(&b, " They are taken for the times of the rows: T tells only of a load within %v.", o.span.Round(time.Millisecond))
		}
		b.WriteByte('\n')
	}
	if !o.enough {
		fmt.Fprintf(&b, "  Too few rows, or times, to compare keys with: at least %d and %d are needed.\n", fewRows, fewTimes)
		return b.String()
	}
	fmt.Fprintf(&b, "  Correlation of keys and times %.2f. Of the newest %s of the rows, %s are in the last tenth of the keys, %s in the first.\n",
		o.correlation, percent(newestShare), percent(o.last), percent(o.first))
	switch {
	case o.grows() && a.hot() == "":
		fmt.Fprintf(&b, "  New rows come at one end of the keys: ranges of K as partitions would take all writes in one. As it is, the busiest partition takes %s.\n", percent(a.now().newest.share()))
	case o.loaded && !o.grows():
		b.WriteString("  They are past times: if rows with new ones come, all of them come at one end of the keys.\n")
	case o.monotonic() && !o.grows():
		fmt.Fprintf(&b, "  All were written within %v in the order of keys: a load, which says nothing of later writes.\n", o.span.Round(time.Millisecond))
	}
	return b.String()
}

func (a *Advice) reportLayouts() string {
	w := newTable("layout", "partitions", "rows max/mean", "Gini", "newest rows in one")
	for _, t := range a.tried {
		newest := "?"
		if a.order.enough {
			newest = percent(t.newest.share())
		}
		w.AppendRow(table.Row{t.name, len(t.names), fmt.Sprintf("%.2f", t.rows.skew().MaxMean), fmt.Sprintf("%.2f", t.rows.skew().Gini), newest})
	}
	return "Layouts, tried with " + plural(int(a.now().rows.total()), "row") + " of the sample\n" + w.Render() + "\n" + a.reportCount() + a.reportSplits() + a.reportTimes()
}

// reportTimes says what the layouts do not show for a table that is partitioned
// by time.
func (a *Advice) reportTimes() string {
	if a.table.magnitude == "" || !strings.Contains(a.table.layout, "COLUMNS ("+quoteName(a.table.magnitude)+")") {
		return ""
	}
	return "  These are layouts by row alone: partitions by time are another level, above or below them.\n"
}

func (a *Advice) reportCount() string {
	c := &a.count
	growth := fmt.Sprintf("%.0f times as much room, since T says nothing of growth", c.factor)
	if c.known {
		growth = fmt.Sprintf("%.1f times that after %.0f years at the pace that T shows", c.factor, c.years)
	}
	return fmt.Sprintf("  %d partitions: the least prime from %d on for %s now, %s, and 100 GB in each.\n",
		c.n, fewestPartitions, humanize.IBytes(uint64(max(a.table.bytes(), 0))), growth)
}

// reportSplits says where ranges would be split.
func (a *Advice) reportSplits() string {
	t := a.find("RANGE")
	if t == nil {
		return ""
	}
	const most = 300
	layout := strings.TrimPrefix(t.layout, "PARTITION BY RANGE COLUMNS(K) ")
	if len(layout) > most {
		layout = layout[:most] + "..."
	}
	return "  RANGE by quantiles: " + layout + "\n"
}

func (a *Advice) reportQueries() string {
	if len(a.queries) == 0 {
		return ""
	}
	head := []string{"query"}
	for _, t := range a.tried {
		if t.key == plainKey { // others need differently written queries
			head = append(head, strings.Replace(t.name, "KEY(", "KEY\n(", 1))
		}
	}
	w := newTable(head...)
	var failed []string
	for i, q := range a.queries {
		q = shortened(q)
		row := table.Row{q}
		for _, t := range a.tried[:len(head)-1] {
			row = append(row, t.queries[i].text())
		}
		if err := a.now().queries[i].err; err != nil {
			failed = append(failed, fmt.Sprintf("  Not explained: %s: %v\n", q, err))
		}
		w.AppendRow(row)
	}
	return "Partitions that the queries read\n" + w.Render() + "\n" + strings.Join(failed, "")
}

// shortened is a query in one line of at most 50 bytes.
func shortened(query string) string {
	query = strings.Join(strings.Fields(query), " ")
	if len(query) > 50 {
		query = query[:47] + "..."
	}
	return query
}

func (e explained) text() string {
	if e.err != nil {
		return "?"
	}
	return fmt.Sprint(e.partitions)
}

func newTable(head ...string) table.Writer {
	w := table.NewWriter()
	w.SetStyle(table.StyleDefault)
	w.Style().Format.Header = text.FormatDefault
	header := table.Row{}
	configs := make([]table.ColumnConfig, 0, len(head))
	for i, h := range head {
		header = append(header, h)
		if i > 0 {
			configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight})
		}
	}
	w.AppendHeader(header)
	w.SetColumnConfigs(configs)
	return w
}

func (a *Advice) reportVerdict() string {
	var b strings.Builder
	b.WriteString("Verdict\n")
	warnings := a.Warnings()
	if len(warnings) == 0 {
		b.WriteString("  Nothing to change.\n")
	}
	for _, w := range warnings {
		b.WriteString(wrap("WARNING "+w) + "\n")
	}
	for i, p := range a.Proposals() {
		fmt.Fprintf(&b, "\nProposal %d: %s\n%s\n\n", i+1, p.Title, wrap(p.Why))
		for _, s := range p.Statements {
			b.WriteString("    " + strings.ReplaceAll(s, "\n", "\n    ") + "\n")
		}
	}
	return b.String()
}

// wrap breaks words into lines that are indented by two spaces.
func wrap(words string) string {
	lines, width := []string{" "}, 1
	for _, w := range strings.Fields(words) {
		if width+1+len(w) > 110 {
			lines, width = append(lines, " "), 1
		}
		lines[len(lines)-1] += " " + w
		width += 1 + len(w)
	}
	return strings.Join(lines, "\n")
}
