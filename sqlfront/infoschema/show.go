package infoschema

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// show is a running SHOW.
type show struct {
	*Information
	*exec.Context
	st       *ast.Show
	database string // the current database, or that of FROM
	catalog  *kv.Catalog
}

// Describe runs DESCRIBE, which is SHOW COLUMNS under another name. Its errors are those of SHOW COLUMNS.
func (i *Information) Describe(c *exec.Context, database string, st *ast.Describe) (*relation.Result, error) {
	columns := &ast.Show{Kind: ast.ShowColumns, Table: st.Table, LikeParam: -1}
	if st.Column != "" {
		columns.Like = &st.Column
	}
	return i.Show(c, database, columns)
}

// texts is a result of text columns, whose names are separated by commas.
func texts(names string, rows ...[]string) *relation.Result {
	r := &relation.Result{}
	for name := range strings.SplitSeq(names, ",") {
		r.Columns = append(r.Columns, relation.Column{Name: name, Type: value.Type{Kind: value.Text}})
	}
	for _, row := range rows {
		var out []value.Value
		for _, text := range row {
			out = append(out, value.NewString(text))
		}
		r.Rows = append(r.Rows, out)
	}
	return r
}

// emptyResults are the columns of results that are always empty here.
var emptyResults = map[ast.ShowKind]string{
	ast.ShowOpenTables:    "Database,Table,In_use,Name_locked",
	ast.ShowMasterStatus:  "File,Position,Binlog_Do_DB,Binlog_Ignore_DB,Executed_Gtid_Set",
	ast.ShowReplicaStatus: "Slave_IO_State,Master_Host,Master_User,Master_Port",
	ast.ShowReplicas:      "Server_id,Host,Port,Master_id,Slave_UUID",
	ast.ShowProfiles:      "Query_ID,Duration,Query",
	ast.ShowProfile:       "Status,Duration",
	ast.ShowPrivileges:    "Privilege,Context,Comment",
}

// inDatabase sets the database of FROM. Its errors are 1046 and 1049.
func (s *show) inDatabase(from string) error {
	if from != "" {
		s.database = from
	}
	switch {
	case s.database == "":
		return mysqlerr.New(mysqlerr.NoDB, "No database selected")
	case s.catalog.Database(s.database) == nil && !IsVirtual(s.database):
		return mysqlerr.UnknownDatabase(s.database)
	}
	return nil
}

// relation is the relation of FROM; the error is 1146 if there is none.
func (s *show) relation() (object, error) {
	if err := s.inDatabase(s.st.Table.Database); err != nil {
		return object{}, err
	}
	r, ok := s.find(s.catalog, s.database, s.st.Table.Name)
	if !ok {
		return r, mysqlerr.NoTable(s.database, s.st.Table.Name)
	}
	return r, nil
}

// filter applies LIKE, WHERE and LIMIT.
func (s *show) filter(r *relation.Result) error {
	if pattern, ok := s.pattern(); ok {
		var err error
		r.Rows = slices.DeleteFunc(r.Rows, func(row []value.Value) bool {
			if err != nil {
				return false
			}
			var matches bool
			matches, err = text.LikeMatch(row[0], pattern, '\\', s.Env.Meter())
			return !matches
		})
		if err != nil {
			return err
		}
		if s.st.Kind == ast.ShowTables || s.st.Kind == ast.ShowDatabases {
			r.Columns[0].Name += " (" + pattern.String() + ")"
		}
	}
	if err := s.where(r); err != nil {
		return err
	}
	limit, err := plan.NewLimit(s.st.Limit, nil)
	if err != nil {
		return err
	}
	offset, count, err := limit.Values(s.Env.Params)
	if err != nil {
		return err
	}
	n := int64(len(r.Rows))
	offset = min(offset, n)
	r.Rows = r.Rows[offset : offset+min(count, n-offset)]
	return nil
}

func (s *show) pattern() (value.Value, bool) {
	switch {
	case s.st.Like != nil:
		return value.NewString(*s.st.Like), true
	case s.st.LikeParam >= 0 && s.st.LikeParam < len(s.Env.Params):
		return value.NewText(s.Env.Params[s.st.LikeParam].AsBytes()), true
	}
	return value.Value{}, false
}

func (s *show) where(r *relation.Result) error {
	if s.st.Where == nil {
		return nil
	}
	b := &bind.Binder{Scope: resultScope{r}}
	node, err := b.Bind(s.st.Where)
	if err != nil {
		return err
	}
	env := *s.Env
	r.Rows = slices.DeleteFunc(r.Rows, func(row []value.Value) bool {
		env.Row = row
		holds, failed := expr.Holds(node, &env)
		if failed != nil {
			err = failed
		}
		return !holds
	})
	return err
}

// resultScope finds the columns of a result.
type resultScope struct{ *relation.Result }

// Resolve implements bind.Scope.
func (r resultScope) Resolve(table, name string) (expr.Node, error) {
	for i, c := range r.Columns {
		if table == "" && strings.EqualFold(c.Name, name) {
			return &expr.Column{Index: i, Name: c.Name, T: c.Type}, nil
		}
	}
	return nil, mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'where clause'", name)
}
