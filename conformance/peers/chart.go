package main

import (
	"fmt"
	"html"
	"math"
	"os"
	"strings"
)

// The chart has a line for each workload, and on it a dot for each contender:
// its time as a multiple of hbasekv's, on a logarithmic scale.

const (
	chartLeft, chartWidth, chartRight = 300, 620, 30
	chartTop, chartStep               = 64, 18
	chartLeast, chartMost             = 1.0 / 16, 256.0
)

var colours = map[string]string{
	"floor": "#b0b0b0", "pebble": "#606060", "hbasekv": "#d62728", "hbasekv-97": "#ff9896",
	"sqlite": "#1f77b4", "modernc": "#17becf", "chai": "#2ca02c", "mariadb": "#9467bd",
}

// across returns a ratio's position on the scale; ratios beyond the scale are
// at its ends.
func across(ratio float64) float64 {
	part := math.Log(min(max(ratio, chartLeast), chartMost)/chartLeast) / math.Log(chartMost/chartLeast)
	return chartLeft + chartWidth*part
}

func (r *report) writeSVG(file string) error {
	return os.WriteFile(file, []byte(r.svg()), 0o644)
}

func (r *report) svg() string {
	labels, byLabel := lines(r.Results)
	var body strings.Builder
	y := chartTop
	for _, label := range labels {
		y += chartStep
		fmt.Fprintf(&body, `<text x="8" y="%d" font-weight="bold">%s</text>`+"\n", y+4, html.EscapeString(label))
		for _, l := range byLabel[label] {
			if l.results["hbasekv"].NS > 0 {
				y += chartStep
				l.svg(&body, y)
			}
		}
	}
	height := y + chartStep
	var all strings.Builder
	fmt.Fprintf(&all, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n",
		chartLeft+chartWidth+chartRight, height)
	fmt.Fprintf(&all, `<rect width="100%%" height="100%%" fill="white"/>`+"\n")
	svgScale(&all, height)
	svgLegend(&all, taking(r.Results))
	return all.String() + body.String() + "</svg>\n"
}

func svgScale(b *strings.Builder, height int) {
	for ratio := chartLeast; ratio <= chartMost; ratio *= 4 {
		text := fmt.Sprintf("%gx", ratio)
		if ratio < 1 {
			text = fmt.Sprintf("1/%gx", 1/ratio)
		}
		fmt.Fprintf(b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle" fill="#666">%s</text>`+"\n",
			across(ratio), across(ratio), chartTop, height, across(ratio), chartTop-6, text)
	}
}

func svgLegend(b *strings.Builder, names []string) {
	fmt.Fprintf(b, `<text x="8" y="18">Time of an operation, hbasekv = 1; left is faster</text>`+"\n")
	for i, name := range names {
		x := chartLeft + i*84
		fmt.Fprintf(b, `<circle cx="%d" cy="14" r="4.5" fill="%s"/><text x="%d" y="18">%s</text>`+"\n", x, colours[name], x+8, name)
	}
}

func (l *line) svg(b *strings.Builder, y int) {
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%s</text>`+"\n", chartLeft-10, y+4, html.EscapeString(l.workload))
	fmt.Fprintf(b, `<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="#eee"/>`+"\n", chartLeft, chartLeft+chartWidth, y, y)
	own := l.results["hbasekv"].NS
	for _, c := range contenders {
		got := l.results[c.name]
		if got.NS == 0 {
			continue
		}
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%d" r="4.5" fill="%s"><title>%s: %s</title></circle>`+"\n",
			across(got.NS/own), y, colours[c.name], c.name, duration(got.NS))
	}
}
