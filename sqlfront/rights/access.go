package rights

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Access is what one statement asks for while it is planned: each need is checked at
// once, and kept for others who run the same plan. nil needs no right.
type Access struct {
	authority *Authority // nil may do everything
	needs     *Needs
	// explains is true of EXPLAIN, which shows what is below a view.
	explains bool
	// free is a table that the statement may do everything with.
	free struct{ database, table string }
	// view is the view that is being read, as database.name, and definer whose rights
	// count in it; both are empty outside.
	view    string
	definer *Name
}

// NewAccess is that of a statement of one with that authority.
func NewAccess(a *Authority, explains bool) *Access {
	return &Access{authority: a, needs: &Needs{}, explains: explains}
}

// Free lets the statement do everything with a table that it has made for itself.
func (x *Access) Free(database, table string) *Access {
	x.free.database, x.free.table = database, table
	return x
}

// Needs are what was asked for so far.
func (x *Access) Needs() *Needs {
	if x == nil {
		return nil
	}
	return x.needs
}

// Needs are what running a plan takes. They are immutable once it is made.
type Needs struct{ list []need }

type need struct {
	want                           Privileges
	database, table, group, column string
	locks                          bool // the rows that are read, too
	view                           string
	definer                        *Name
}

// Check asks an authority for all of them. The error is that of the first one that is missing:
// 1142, 1143, or 1356 within a view; 1449 for a definer who is no account.
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

// inView is the error that a reader of a view gets for one below it, which would tell what the view
// hides.
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

// Table asks for all of want on a table, as Authority.Table does. Within a view the error is 1356.
func (x *Access) Table(want Privileges, database, table, group string) error {
	if x == nil {
		return nil
	}
	return x.ask(need{want: want, database: database, table: table, group: group})
}

// LockedTable asks for all of want on a table, and for what it takes to lock its rows. The error is
// 1142, or 1356 within a view.
func (x *Access) LockedTable(want Privileges, database, table, group string) error {
	if x == nil {
		return nil
	}
	return x.ask(need{want: want, database: database, table: table, group: group, locks: true})
}

// Sees reports whether the account whose statement it is has some privilege on a table.
func (x *Access) Sees(database, table, group string) bool {
	return x == nil || x.authority.Sees(database, table, group)
}

// Column asks for all of want on a column of a table. The error is 1142 or 1143, or 1356 within a
// view.
func (x *Access) Column(want Privileges, database, table, group, column string) error {
	if x == nil {
		return nil
	}
	return x.ask(need{want: want, database: database, table: table, group: group, column: column})
}

// Has reports whether the account has rights on a table; a statement goes on without them.
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

// Within is the access of a view's text: that of its definer, or with invoker that of its reader. A
// definer that is nil may do everything. The error is 1449 for a definer who is no account, 1345
// where EXPLAIN must not show the view.
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
