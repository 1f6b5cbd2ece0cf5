package rights

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Access collects the privileges that one statement needs while it is planned. Each need is checked
// immediately, and kept for other executions of the plan. A nil Access needs no privileges.
type Access struct {
	authority *Authority // nil may do everything
	needs     *Needs
	// explains is true for EXPLAIN, which shows what is below a view.
	explains bool
	// free is a table with which the statement may do everything.
	free struct{ database, table string }
	// view is the view that is being read, as database.name, and definer is the account whose privileges
	// apply in it; both are empty outside of views.
	view    string
	definer *Name
}

// NewAccess is the Access of a statement with this authority; nil may do everything.
func NewAccess(a *Authority, explains bool) *Access {
	return &Access{authority: a, needs: &Needs{}, explains: explains}
}

// Free allows the statement to do everything with a table that it has created itself.
func (x *Access) Free(database, table string) *Access {
	x.free.database, x.free.table = database, table
	return x
}

// Needs are the privileges that were needed so far.
func (x *Access) Needs() *Needs {
	if x == nil {
		return nil
	}
	return x.needs
}

// Needs are the privileges that running a plan needs. They are immutable once the plan is made.
type Needs struct{ list []need }

type need struct {
	want                           Privileges
	database, table, group, column string
	locks                          bool // the rows that are read are also locked
	view                           string
	definer                        *Name
}

// Check checks that an authority has all of them. The error is that of the first missing one: 1142, 1143, or
// 1356 within a view; 1449 if a view's definer does not exist.
func (n *Needs) Check(a *Authority) error {
	if a == nil || n == nil {
		return nil
	}
	for i := range n.list {
		each := &n.list[i]
		as := a
		if each.definer != nil {
			if as = a.Of(*each.definer); as == nil {
				return noDefiner(*each.definer)
			}
		}
		if err := each.check(as); err != nil {
			return each.inView(err, false)
		}
	}
	return nil
}

func (n *need) check(a *Authority) error {
	if n.column != "" {
		return a.Column(n.want, n.database, n.table, n.group, n.column)
	}
	if err := a.Table(n.want, n.database, n.table, n.group); err != nil || !n.locks {
		return err
	}
	return a.LockRows(n.database, n.table, n.group)
}

// inView replaces an error in a view for the view's reader, since it would tell what the view hides.
func (n *need) inView(err error, explains bool) error {
	switch {
	case n.view == "":
		return err
	case explains:
		return noExplain()
	}
	return mysqlerr.New(mysqlerr.ViewInvalid, "View '%s' references invalid table(s) or column(s) or function(s) or "+
		"definer/invoker of view lack rights to use them", n.view)
}

func noExplain() error {
	return mysqlerr.New(mysqlerr.ViewNoExplain, "EXPLAIN/SHOW can not be issued; lacking privileges for underlying table")
}

func noDefiner(n Name) error {
	return mysqlerr.New(mysqlerr.NoSuchUser, "The user specified as a definer (%s) does not exist", n)
}

// Table requires all of want on a table, as Authority.Table does. The error is 1142, or 1356 within a view.
func (x *Access) Table(want Privileges, database, table, group string) error {
	if x == nil {
		return nil
	}
	return x.ask(need{want: want, database: database, table: table, group: group})
}

// LockedTable requires all of want on a table, and the privilege to lock its rows. The error is 1142, or 1356
// within a view.
func (x *Access) LockedTable(want Privileges, database, table, group string) error {
	if x == nil {
		return nil
	}
	return x.ask(need{want: want, database: database, table: table, group: group, locks: true})
}

// Sees reports whether the statement's account has some privilege on a table.
func (x *Access) Sees(database, table, group string) bool {
	return x == nil || x.authority.Sees(database, table, group)
}

// Column requires all of want on a column of a table. The error is 1142 or 1143, or 1356 within a view.
func (x *Access) Column(want Privileges, database, table, group, column string) error {
	if x == nil {
		return nil
	}
	return x.ask(need{want: want, database: database, table: table, group: group, column: column})
}

// Has reports whether the account has privileges on a table; the statement may go on without them.
func (x *Access) Has(want Privileges, database, table string) bool {
	return x == nil || x.authority.Table(want, database, table, "") == nil
}

func (x *Access) ask(n need) error {
	if n.database == x.free.database && n.table == x.free.table {
		return nil
	}
	n.view, n.definer = x.view, x.definer
	if !slices.Contains(x.needs.list, n) {
		x.needs.list = append(x.needs.list, n)
	}
	if err := n.check(x.authority); err != nil {
		return n.inView(err, x.explains)
	}
	return nil
}

// Within is the Access of a view's text: with the privileges of its definer or, with invoker, of its reader.
// A nil definer may do everything. The error is 1449 if the definer does not exist, 1345 if EXPLAIN must not
// show the view.
func (x *Access) Within(database, view string, definer *Name, invoker bool) (*Access, error) {
	if x == nil {
		return nil, nil
	}
	inner := *x
	inner.view = database + "." + view
	switch {
	case x.explains:
		if x.Table(ShowView, database, view, "") != nil {
			return nil, noExplain()
		}
	case invoker:
	case definer == nil:
		return nil, nil
	default:
		inner.definer = definer
		if x.authority != nil {
			if inner.authority = x.authority.Of(*definer); inner.authority == nil {
				return nil, noDefiner(*definer)
			}
		}
	}
	return &inner, nil
}
