package infoschema

import (
	"fmt"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// engineStatus is SHOW ENGINE. For InnoDB, which is the engine that tables show, STATUS is a report in the
// form of InnoDB's, with the sections for which the store has figures.
func (s *show) engineStatus() (*relation.Result, error) {
	const columns = "Type,Name,Status"
	switch {
	case strings.EqualFold(s.st.Name, performanceSchema):
		return texts(columns), nil
	case !strings.EqualFold(s.st.Name, engineName):
		return nil, mysqlerr.New(mysqlerr.UnknownStorageEngine, "Unknown storage engine '%s'", s.st.Name)
	case !s.st.Status:
		return texts(columns), nil
	}
	return texts(columns, []string{engineName, "", s.monitor()}), nil
}

// monitor is the report.
func (s *show) monitor() string {
	now := s.Env.Session.Now
	var b strings.Builder
	title := now.Format("2006-01-02 15:04:05") + " INNODB MONITOR OUTPUT"
	fmt.Fprintf(&b, "\n%[1]s\n%[2]s\n%[1]s\n", strings.Repeat("=", len(title)), title)
	heading(&b, "TRANSACTIONS")
	for _, t := range s.server.Transactions() {
		state := ""
		if !t.State.WaitsSince.IsZero() {
			state = " LOCK WAIT"
		}
		fmt.Fprintf(&b, "---TRANSACTION %d, ACTIVE %d sec%s\n%d row lock(s), undo log entries %d\n",
			t.ID, max(int64(now.Sub(t.Started).Seconds()), 0), state, t.State.RowsLocked, t.State.Writes)
		fmt.Fprintf(&b, "MySQL thread id %d, query id 0 %s %s\n", t.Process.ID, t.Process.Host, t.Process.User)
		if t.Process.Text != "" {
			b.WriteString(t.Process.Text + "\n")
		}
	}
	heading(&b, "ROW OPERATIONS")
	for _, each := range s.server.Status(s.Env.Session, true) {
		if strings.HasPrefix(each[0], "Com_") || strings.HasPrefix(each[0], "Innodb_") {
			fmt.Fprintf(&b, "%s %s\n", each[0], each[1])
		}
	}
	heading(&b, "END OF INNODB MONITOR OUTPUT")
	return b.String()
}

func heading(b *strings.Builder, title string) {
	line := strings.Repeat("-", len(title))
	fmt.Fprintf(b, "%s\n%s\n%s\n", line, title, line)
}
