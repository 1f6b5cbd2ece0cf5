//go:build browser

package console_test

import (
	"strconv"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// keyboard uses the console without a pointer.
func (b *seen) keyboard() {
	for i, title := range []string{"Keys over time", "Tables", "Rows", "SQL", "Now"} {
		b.press("Alt+" + string(rune('1'+i)))
		b.text("h1", title)
		b.until("document.querySelector('nav a[aria-current=page]').textContent === " + strconv.Quote(title))
	}
	b.press("Alt+6")
	b.shown("dialog[open] kbd")
	b.picture("keyboard")
	b.press("Escape")
	b.until("!document.querySelector('dialog')")

	b.open("sql?database=default")
	b.enter("#editor", "SELECT 6 * 7")
	b.with("#editor", "e.focus()")
	b.press("Ctrl+Enter")
	b.text("#result td", "42")
	b.enter("#editor", "SELECT * FROM ord")
	b.press("Ctrl+Space")
	b.text("[role=listbox]:not([hidden]) [role=option]", "orders")
	b.press("Escape")
	b.until("document.querySelector('[role=listbox]').hidden && document.querySelector('#editor').value === 'SELECT * FROM ord'")
	b.press("Ctrl+Space")
	b.shown("[role=listbox]:not([hidden]) [aria-selected=true]")
	b.press("Tab")
	b.until("document.querySelector('#editor').value === 'SELECT * FROM orders'")

	b.open("keys")
	b.shown("#heat")
	b.text(".soft", "ranges, a column is")
	b.with("#heat", "e.focus()")
	b.press("Down")
	b.shown(".tip:not([hidden])")
	b.press("Enter")
	b.shown("#zoom-out")
	b.press("Escape")
	b.until("document.querySelector('#zoom-out').hidden")

	// A dialog that Escape closes has done nothing, and gives the focus back.
	b.open("tables?database=default&table=orders")
	b.shown("tr[data-partition=north] .split")
	b.with("tr[data-partition=north] .split", "e.focus()")
	b.press("Enter")
	b.shown("dialog input")
	b.press("Escape")
	b.until("!document.querySelector('dialog') && document.activeElement.matches('tr[data-partition=north] .split')")

	for _, page := range []string{"keys", "tables?database=default&table=orders", "rows?database=default&table=orders&key=a0000&how=row", "sql?database=default&sql=SELECT+1", "now"} {
		b.open(page)
		b.until("document.querySelector('nav a[aria-current=page]').hash === '#" + strings.Split(page, "?")[0] + "' && document.querySelectorAll('#main button').length > 0")
		b.tabbed(page)
	}
}

// tabbed presses Tab until it has been around the page: it comes to each element that can be used, and shows where it is.
func (b *seen) tabbed(page string) {
	b.Helper()
	b.script(`window.described = (e) => [e.tagName, e.id, e.name || "", e.type || "", e.tagName === "SELECT" ? "" : e.textContent.slice(0, 30)].join("|");
		window.usable = () => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].filter((e) => !e.disabled && e.checkVisibility()).map(described);
		window.reached = new Set(); document.activeElement.blur(); 0`)
	for range 250 {
		b.press("Tab")
		var left int
		var faint string
		b.run(chromedp.Evaluate(`(() => { const e = document.activeElement, s = getComputedStyle(e);
			if (e === document.body) return "";
			reached.add(described(e));
			return s.outlineStyle === "none" || parseFloat(s.outlineWidth) < 2 ? described(e) : ""; })()`, &faint),
			chromedp.Evaluate("usable().filter((d) => !reached.has(d)).length", &left))
		require.Empty(b, faint, "%s: the focus cannot be seen", page)
		if left == 0 {
			return
		}
	}
	var left []string
	b.run(chromedp.Evaluate("usable().filter((d) => !reached.has(d))", &left))
	require.Empty(b, left, "%s: Tab does not lead there", page)
}
