package infoschema

import (
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// compiled is Yes for a collation by which texts can be compared.
func compiled(c charset.Collation) string {
	if c.Weighs() {
		return "Yes"
	}
	return ""
}

func (r *infoReader) addSettings(list [][2]string) {
	for _, each := range list {
		r.add(each[0], each[1])
	}
}

// longestInfo is the maximum length of a statement in the process list, in bytes, as in MySQL.
const longestInfo = 65535

func shortened(text string) string {
	if len(text) <= longestInfo {
		return text
	}
	return strings.ToValidUTF8(text[:longestInfo], "")
}

// addMetrics shows the counters among the status variables, over all sessions, in the form of InnoDB's
// counters.
func (r *infoReader) addMetrics() {
	if !r.global(rights.Process) {
		return
	}
	for _, each := range r.server.Status(r.Env.Session, true) {
		n, err := strconv.ParseInt(each[1], 10, 64)
		if err != nil {
			continue
		}
		r.add(strings.ToLower(each[0]), "server", n, nil, nil, nil, n, nil, nil, nil, nil, nil, nil, nil, "enabled", "status_counter",
			each[0]+" of SHOW STATUS")
	}
}

// addSysMetrics is sys.metrics: the status over all sessions.
func (r *infoReader) addSysMetrics() {
	for _, each := range r.server.Status(r.Env.Session, true) {
		r.add(strings.ToLower(each[0]), each[1], "Global Status", "YES")
	}
}

// addSysProcesses is sys.processlist: the sessions, without the store's background work.
func (r *infoReader) addSysProcesses() {
	for _, p := range r.processes() {
		if !p.System {
			r.add(p.ID, p.ID, p.User+"@"+p.Host, orNull(p.Database), p.Command, orNull(p.State), p.Seconds, orNull(p.Text))
		}
	}
}
