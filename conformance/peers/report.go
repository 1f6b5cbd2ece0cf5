package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"
)

// result is one contender's result for one workload.
type result struct {
	Data      string    `json:"data"`
	Workload  string    `json:"workload"`
	Contender string    `json:"contender"`
	Unit      string    `json:"unit,omitempty"` // what the time is for: an operation, or one of its cells
	NS        float64   `json:"ns,omitempty"`   // the median of the runs
	Allocs    float64   `json:"allocs,omitempty"`
	Runs      []float64 `json:"runs,omitempty"`
	Statement string    `json:"statement,omitempty"` // the fastest one
	Out       string    `json:"out,omitempty"`       // why there is no time
}

// report is the report of a run.
type report struct {
	Commit  string   `json:"commit"`
	Date    string   `json:"date"`
	Machine string   `json:"machine"`
	Go      string   `json:"go"`
	Command string   `json:"command"`
	Results []result `json:"results,omitempty"`
	Growth  []growth `json:"growth,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

func newReport() *report {
	commit, _ := exec.Command("git", "rev-parse", "--short=10", "HEAD").Output()
	return &report{
		Commit:  strings.TrimSpace(string(commit)),
		Date:    time.Now().UTC().Format("2006-01-02"),
		Machine: fmt.Sprintf("%d x %s", runtime.NumCPU(), processor()),
		Go:      runtime.Version(),
		Command: command(),
	}
}

// processor returns the machine's model, if the system reports it.
func processor() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

func (r *report) heading() string {
	commit := ""
	if r.Commit != "" {
		commit = "commit " + r.Commit + ", "
	}
	return fmt.Sprintf("%s%s, %s, %s; `%s`.", commit, r.Date, r.Machine, r.Go, r.Command)
}

func median(xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(xs))
	if n := len(sorted); n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[len(sorted)/2]
}

// line is a workload with the results of all contenders.
type line struct {
	workload, unit string
	results        map[string]result
}

// lines returns the workloads of each dataset, in the order in which they ran.
func lines(results []result) (labels []string, byLabel map[string][]*line) {
	byLabel = map[string][]*line{}
	for _, r := range results {
		if byLabel[r.Data] == nil {
			labels = append(labels, r.Data)
		}
		at := slices.IndexFunc(byLabel[r.Data], func(l *line) bool { return l.workload == r.Workload })
		if at < 0 {
			at = len(byLabel[r.Data])
			byLabel[r.Data] = append(byLabel[r.Data], &line{r.Workload, r.Unit, map[string]result{}})
		}
		byLabel[r.Data][at].results[r.Contender] = r
	}
	return labels, byLabel
}

// overYardsticks returns the time of hbasekv, or of hbasekv with partitions,
// divided by the sum of floor's and Pebble's with the same partitions.
func (l *line) overYardsticks(partitions string) float64 {
	floor, raw := l.results["floor"].NS, l.results["pebble"+partitions].NS
	if floor == 0 || raw == 0 {
		return 0
	}
	return l.results["hbasekv"+partitions].NS / (floor + raw)
}

// bestPeer returns the fastest peer and its time as a multiple of hbasekv's.
func (l *line) bestPeer(partitions string) (name string, ratio float64) {
	for _, c := range contenders {
		r := l.results[c.name]
		if c.peer() && r.NS > 0 && (name == "" || r.NS < l.results[name].NS) {
			name = c.name
		}
	}
	if own := l.results["hbasekv"+partitions].NS; name != "" && own > 0 {
		return name, l.results[name].NS / own
	}
	return "", 0
}

// atMost returns the fastest peer's time as a multiple of floor's and Pebble's
// together: what hbasekv could reach if it cost nothing itself.
func (l *line) atMost(partitions string) float64 {
	_, faster := l.bestPeer(partitions)
	return faster * l.overYardsticks(partitions)
}

// duration formats nanoseconds with three digits.
func duration(ns float64) string {
	switch {
	case ns == 0:
		return ""
	case ns < 1e3:
		return digits(ns) + " ns"
	case ns < 1e6:
		return digits(ns/1e3) + " us"
	case ns < 1e9:
		return digits(ns/1e6) + " ms"
	}
	return digits(ns/1e9) + " s"
}

// command returns the command line of this run.
func command() string {
	return strings.TrimSpace("go -C conformance/peers run . " + strings.Join(os.Args[1:], " "))
}

// digits formats a number with three digits.
func digits(x float64) string {
	switch {
	case x < 9.995:
		return fmt.Sprintf("%.2f", x)
	case x < 99.95:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func ratio(x float64) string {
	if x == 0 {
		return ""
	}
	return digits(x) + "x"
}

// took formats a time for the table, or says why there is none.
func took(r result) string {
	switch {
	case strings.Contains(r.Out, errSlow.Error()):
		return "slow"
	case strings.Contains(r.Out, errWrong.Error()):
		return "wrong"
	case r.Out != "":
		return "-"
	}
	return duration(r.NS)
}

// markdown prints the tables, one for each dataset.
func (r *report) markdown(w io.Writer) {
	names := taking(r.Results)
	labels, byLabel := lines(r.Results)
	for _, label := range labels {
		columns := append(slices.Clone(names), "to floor + pebble", "best peer", "allocations")
		parts := slices.Contains(names, "pebble-97")
		if parts {
			columns = append(columns, "at most", "97: to floor + pebble", "97: best peer", "97: at most")
		}
		fmt.Fprintf(w, "| %s | %s |\n|---|%s\n", label, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
		for _, l := range byLabel[label] {
			l.markdown(w, names, parts)
		}
		fmt.Fprintln(w)
	}
}

func (l *line) markdown(w io.Writer, names []string, parts bool) {
	name := l.workload
	if l.unit != "" {
		name += ", a " + l.unit
	}
	fmt.Fprintf(w, "| %s |", name)
	for _, c := range names {
		fmt.Fprintf(w, " %s |", took(l.results[c]))
	}
	fmt.Fprintf(w, " %s | %s |", l.ratios(""), allocations(l.results["hbasekv"]))
	if parts {
		fmt.Fprintf(w, " %s | %s | %s |", ratio(l.atMost("")), l.ratios("-97"), ratio(l.atMost("-97")))
	}
	fmt.Fprintln(w)
}

func (l *line) ratios(partitions string) string {
	peer, faster := l.bestPeer(partitions)
	return ratio(l.overYardsticks(partitions)) + " | " + strings.TrimSpace(peer+" "+ratio(faster))
}

// allocations formats hbasekv's allocations, in the unit of its time.
func allocations(r result) string {
	if r.NS == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", r.Allocs)
}

// taking returns the contenders that have results, in their order.
func taking(results []result) (names []string) {
	for _, c := range contenders {
		if slices.ContainsFunc(results, func(r result) bool { return r.Contender == c.name }) {
			names = append(names, c.name)
		}
	}
	return names
}

func (r *report) writeJSON(file string) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
