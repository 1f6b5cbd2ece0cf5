package declare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/calendar"
)

// alteration is the effect of ALTER TABLE on the columns of a typed table. Names of columns are those before
// the statement, so that two columns can exchange their names.
type alteration struct {
	*Declaration
	name string      // the table's
	text schema.Text // which columns inherit
	from *typed.Table
	to   *typed.Table
	// temporary says that the table is a temporary one.
	temporary bool

	columns   []altered
	dropped   []string // qualifiers
	places    *string  // HBASE_COLUMNS for the altered columns, nil if not given
	rewritten Rewritten
	// retyped are the columns whose values in the rows must be checked against their new types; zero is the
	// error for the first column for which existing rows cannot have a value.
	retyped []retyped
	zero    error
	// computes are the columns whose expressions give existing rows their values, which are stored.
	computes []int
	// warnings are those about the rows, and unshown is how many more there are than a session can show.
	warnings []warning
	unshown  int

	newKey     []string // the columns of a newly declared primary key
	keyDropped bool
	rekeys     bool // the rows get other keys
	reforms    bool // a ROW_FORMAT is given that is not REDUNDANT

	indexes     []ast.KeyDef   // added
	goneIndexes map[int]bool   // dropped, by their index before
	indexNames  map[int]string // new names of those that are renamed
	entries     indexChanges

	checks  []check         // added
	foreign []ast.KeyDef    // added foreign keys
	unbound []string        // names of dropped foreign keys
	removed map[string]bool // dropped constraints
	// notEnforced has, for altered constraints, whether they are NOT ENFORCED.
	notEnforced map[string]bool
	bound       []typed.BoundCheck // added ones, to be checked on existing rows
	uses        map[string][]int   // the columns of each constraint, by their index before
	// reads are the columns that the expression of a column reads, by their index before. generated are the
	// expressions after.
	reads     map[int][]int
	generated []typed.BoundColumn
}

// altered is a column that is being altered.
type altered struct {
	typed.Column
	was int // its index before, -1 for a new one
}

// warning is what a.Warn gets once the table has been altered.
type warning struct {
	code    uint16
	message string
}

// retyped is a column whose type changes, by its indexes before and after.
type retyped struct{ was, is int }

func begin(d *Declaration, name string, face *typed.Table, text schema.Text) *alteration {
	a := &alteration{Declaration: d, name: name, text: text, from: face, removed: map[string]bool{},
		goneIndexes: map[int]bool{}, indexNames: map[int]string{}, notEnforced: map[string]bool{}}
	for i, c := range face.Columns {
		a.columns = append(a.columns, altered{c, i})
	}
	return a
}

// action applies one action; done is false if it is not about columns.
func (a *alteration) action(action ast.AlterAction) (done bool, err error) {
	switch action := action.(type) {
	case *ast.AlterAddColumn:
		return true, a.add(&action.Column, action.Position)
	case *ast.AlterDropColumn:
		return true, a.drop(action.Name)
	case *ast.AlterModifyColumn:
		return true, a.change(action.Column.Name, &action.Column, action.Position)
	case *ast.AlterChangeColumn:
		return true, a.change(action.Old, &action.Column, action.Position)
	case *ast.AlterRenameColumn:
		return true, a.rename(action.Old, action.New)
	case *ast.AlterColumnDefault:
		return true, a.setDefault(action)
	case *ast.AlterAddKey:
		a.constrain(nil, []ast.KeyDef{action.Key})
		return action.Key.Kind == "CHECK" || action.Key.Kind == foreignKey || isIndex(&action.Key), nil
	case *ast.AlterDropKey:
		if action.Kind == plainIndex || action.Kind == "CONSTRAINT" && a.isUnique(action.Name) {
			return true, a.dropIndex(action.Name)
		}
		return a.dropConstraint(action)
	case *ast.AlterRenameIndex:
		return true, a.renameIndex(action)
	case *ast.AlterCheck:
		return true, a.enforce(action)
	case *ast.AlterAddPrimaryKey:
		return true, a.addKey(action.Columns)
	case *ast.AlterDropPrimaryKey:
		return true, a.dropKey()
	case *ast.AlterKeys, *ast.AlterForce:
		return true, nil // nothing needs rebuilding
	}
	return false, nil
}

// constrain adds the constraints and indexes of columns, or of the table.
func (a *alteration) constrain(columns []ast.ColumnDef, keys []ast.KeyDef) {
	a.checks = append(a.checks, checksOf(columns, keys)...)
	a.indexes = append(a.indexes, indexesOf(columns, keys, nil)...)
	a.foreign = append(a.foreign, foreignOf(columns, keys)...)
}

// find is the index of the column that had that name; the error is 1054 if there is none.
func (a *alteration) find(name string) (int, error) {
	was := a.from.Column(name)
	i := slices.IndexFunc(a.columns, func(c altered) bool { return was >= 0 && c.was == was })
	if i < 0 {
		return i, a.unknown(name)
	}
	return i, nil
}

func (a *alteration) unknown(name string) error {
	return mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in '%s'", name, a.name)
}

// put inserts a column at a position; without FIRST or AFTER, at place.
func (a *alteration) put(c altered, at ast.Position, place int) error {
	switch {
	case at.First:
		place = 0
	case at.After != "":
		named := func(o altered) bool { return strings.EqualFold(o.Name, at.After) }
		if place = slices.IndexFunc(a.columns, named) + 1; place == 0 {
			return a.unknown(at.After)
		}
	}
	a.columns = slices.Insert(a.columns, place, c)
	return nil
}

func (a *alteration) add(def *ast.ColumnDef, at ast.Position) error {
	if err := a.addKeyOf(def); err != nil {
		return err
	}
	c, err := a.column(def, a.text)
	if err != nil {
		return err
	}
	a.constrain([]ast.ColumnDef{*def}, nil)
	return a.put(altered{c, -1}, at, a.visible())
}

// visible is the number of columns without the hidden key, which is the last one.
func (a *alteration) visible() int {
	if a.from.HasHiddenKey() {
		return len(a.columns) - 1
	}
	return len(a.columns)
}

func (a *alteration) drop(name string) error {
	i, err := a.find(name)
	if err != nil {
		return mysqlerr.New(mysqlerr.CantDropFieldOrKey, "Can't DROP '%s'; check that column/key exists", name)
	}
	if !a.from.Mapped {
		a.dropped = append(a.dropped, a.columns[i].CellQualifier())
	}
	a.columns = slices.Delete(a.columns, i, i+1)
	return nil
}

// change is MODIFY and CHANGE.
func (a *alteration) change(name string, def *ast.ColumnDef, at ast.Position) error {
	i, err := a.find(name)
	if err != nil {
		return err
	}
	old, given := a.columns[i], *def
	inKey := a.staysInKey(old.was)
	if err := a.addKeyOf(def); err != nil {
		return err
	}
	switch {
	case inKey && given.Null:
		return nullInKey(given.Name)
	case inKey && given.Collate == "" && given.Charset == "" && binaryCollation(&given, a.text) != "":
		given.Collate = old.Type.Collation
	}
	c, err := a.column(&given, a.text)
	if err != nil {
		return err
	}
	a.constrain([]ast.ColumnDef{*def}, nil)
	c.NotNull = c.NotNull || inKey
	c.Absent, c.Earlier = old.Absent, old.Earlier
	keepCell(&c, &old.Column)
	a.columns = slices.Delete(a.columns, i, i+1)
	return a.put(altered{c, old.was}, at, i)
}

func (a *alteration) rename(old, name string) error {
	i, err := a.find(old)
	if err != nil {
		return err
	}
	c := &a.columns[i].Column
	keepCell(c, c)
	c.Name = name
	return nil
}

// keepCell gives a column the cells of another one, which may be itself under its old name.
func keepCell(c, old *typed.Column) {
	if c.Entry = old.Entry; c.Entry == "" {
		c.Qualifier = old.CellQualifier()
	}
}

func (a *alteration) setDefault(action *ast.AlterColumnDefault) error {
	i, err := a.find(action.Name)
	if err != nil {
		return err
	}
	c := &a.columns[i]
	c.Default = nil
	if action.Default != nil {
		c.Default, err = a.defaultOf(&c.Column, action.Default)
	}
	return err
}

// finish completes the altered table, and finds what has to be checked in its rows.
func (a *alteration) finish() error {
	if a.visible() == 0 {
		return mysqlerr.New(mysqlerr.CantRemoveAllFields, "You can't delete all columns with ALTER TABLE; use DROP TABLE instead")
	}
	if err := a.hideKey(); err != nil {
		return err
	}
	to := *a.from
	to.Columns, to.Key = nil, nil
	to.Retired = append(slices.Clone(to.Retired), a.dropped...)
	for i, c := range a.columns {
		if to.Column(c.Name) >= 0 {
			return DuplicateColumn(c.Name)
		}
		a.takeRewritten(&to, &c.Column, i)
		to.Columns = append(to.Columns, c.Column)
	}
	a.to = &to
	if err := cmp.Or(a.setKey(), a.place()); err != nil {
		return err
	}
	a.keepForeign()
	err := cmp.Or(checkMapped(&to), a.compare(), a.keepIndexes(), a.keepComputed(), a.keepChecks(), addChecks(&to, a.name, a.checks),
		a.addForeign(&to, a.name, a.foreign), checkNumbers(&to), checkRow(&to), to.Settle())
	if err != nil {
		return err
	}
	return a.setAbsent()
}

// place assigns cells to columns.
func (a *alteration) place() error {
	switch {
	case !a.to.Mapped:
		a.qualify()
		return nil
	case a.places != nil:
		return setPlaces(a.to, *a.places)
	}
	for i := range a.to.Columns {
		if c := &a.to.Columns[i]; c.Entry == "" {
			return wrongMapping("HBASE_COLUMNS", "it is missing: ALTER TABLE ... ADD "+c.Name+
				" ..., HBASE_COLUMNS = '...' lists :key or family:qualifier for each column, in their new order")
		}
	}
	return nil
}

// remap applies the options of a mapping.
func (a *alteration) remap(o ast.TableOptions) error {
	switch {
	case !a.from.Mapped:
		return mysqlerr.Unsupported("mapping a table onto a table group by ALTER TABLE: create a mapped table with CREATE TABLE")
	case o.Mapping.Table != nil || o.Mapping.Separator != nil:
		return mysqlerr.Unsupported("ALTER TABLE ... HBASE_TABLE and HBASE_KEY_SEPARATOR: drop the mapped table and " +
			"create it again, which does not change any cells")
	}
	if o.Mapping.Columns != nil {
		a.places = o.Mapping.Columns
	}
	return familiesOwn(o)
}

// qualify assigns qualifiers to new columns, and omits those that equal the column's name.
func (a *alteration) qualify() {
	for i := range a.columns {
		c, was := &a.to.Columns[i], a.columns[i].was
		if was >= 0 && !(a.leavesKey(i) && a.to.IsRetired([]byte(c.CellQualifier()))) || c.Hidden || a.reserved(i) != "" {
			continue
		}
		name := c.Name
		c.Name, c.Qualifier = "", "" // no column's cells have these
		c.Qualifier = a.to.FreeQualifier(name)
		c.Name = name
	}
	for i := range a.to.Columns {
		if c := &a.to.Columns[i]; c.Qualifier == c.Name {
			c.Qualifier = ""
		}
	}
}

// compare finds the columns whose values may not be valid in their new types.
func (a *alteration) compare() error {
	for i := range a.columns {
		is, was := &a.to.Columns[i], a.columns[i].was
		var old *typed.Column
		if was >= 0 {
			old = &a.from.Columns[was]
		}
		if done, err := a.compareGenerated(old, i); done || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if is.Entry != old.Entry { // other cells, about which nothing is known
			is.Earlier, is.Absent = nil, nil
			continue
		}
		if is.NotNull && !old.NotNull || !coltype.Widens(old.Type, is.Type) {
			a.retyped = append(a.retyped, retyped{was, i})
		}
		if !a.from.HasCell(was) {
			continue // the value is converted when its row gets a new key
		}
		if old.Type.Base != is.Type.Base || old.Type.Decimals != is.Type.Decimals || old.Type.Length != is.Type.Length {
			is.Earlier = earlier(old)
		}
		if a.reserved(i) != "" {
			is.Earlier = nil
		}
	}
	return nil
}

// earlier are the previous types of a column that gets another one, the newest first.
func earlier(c *typed.Column) []coltype.Type {
	same := func(t coltype.Type) bool { return t.String() == c.Type.String() }
	return append([]coltype.Type{c.Type}, slices.DeleteFunc(slices.Clone(c.Earlier), same)...)
}

// setAbsent sets the value that existing rows have in new columns, and in columns added earlier whose type
// changes.
func (a *alteration) setAbsent() error {
	for i := range a.columns {
		c, was := &a.to.Columns[i], a.columns[i].was
		var v value.Value
		var err error
		switch {
		case was < 0:
			v, err = a.initial(c)
		case a.from.TellsAbsent(was) && !coltype.Widens(a.from.Columns[was].Type, c.Type),
			len(c.Earlier) > 0 && c.Absent != nil:
			v, err = a.convertAbsent(was, c)
		default:
			continue
		}
		if err != nil {
			return err
		}
		if c.Absent = nil; !v.IsNull() {
			if c.Absent, err = a.to.AppendCell([]byte{}, i, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// initial is the value of a new column in existing rows.
func (a *alteration) initial(c *typed.Column) (value.Value, error) {
	converter, w := c.Converter(), a.writing()
	switch {
	case isComputed(c):
		return value.Value{}, nil // see setComputedAbsent
	case c.Default != nil && c.Default.Clock:
		return converter.Convert(w, value.NewDateTime(calendar.FieldsOf(a.Now), maxFraction))
	case c.Default != nil && !c.Default.Null:
		return converter.Convert(w, value.NewText(c.Default.Text))
	case !c.NotNull:
		return value.Value{}, nil
	case c.Type.Base.IsTemporal() && c.Type.Base != coltype.Time && a.zero == nil:
		a.zero = mysqlerr.New(mysqlerr.TruncatedWrongValue, "Incorrect %s value: '%s' for column '%s' at row 1",
			c.Type.Base, c.Type.Implicit(), c.Name)
	}
	return c.Type.Implicit(), nil
}

// maxFraction is the largest number of fractional digits of a second.
const maxFraction = 6

func (a *alteration) convertAbsent(was int, c *typed.Column) (value.Value, error) {
	v, _ := a.from.ReadCell(was, a.from.Columns[was].Absent)
	converter := c.Converter()
	return converter.Convert(a.storing(nil), v)
}
