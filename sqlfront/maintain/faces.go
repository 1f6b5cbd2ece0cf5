package maintain

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// checkMapped answers CHECK TABLE for a typed table that is mapped onto families: it reports cells that are
// not values of the table. The families themselves are checked under their own names.
func (k *Keeper) checkMapped(ctx context.Context, name ast.TableName, v *kv.View, out *relation.Result) error {
	face, err := typed.OfView(v)
	if err != nil {
		add(out, "check", name, "Error", err.Error())
		add(out, "check", name, "error", "Corrupt")
		return nil
	}
	txn, err := k.Begin(ctx)
	if err != nil {
		return err
	}
	defer txn.Rollback()
	families, err := face.FamiliesIn(txn.Catalog(), v)
	if err != nil {
		add(out, "check", name, "Error", err.Error())
		add(out, "check", name, "status", "Operation failed")
		return nil
	}
	if err := k.addUnread(ctx, txn, name, face, families, out); err != nil {
		return err
	}
	add(out, "check", name, "status", "OK")
	return nil
}

// addTyped adds the cells of a typed table's family that are not values of the table.
func (k *Keeper) addTyped(ctx context.Context, name ast.TableName, t *kv.Table, out *relation.Result) error {
	if t == nil || schema.Of(t).Typed == nil || name.Name == t.Name {
		return nil
	}
	face, err := typed.Of(t)
	if err != nil {
		return nil // every statement on the table reports it
	}
	txn, err := k.Begin(ctx)
	if err != nil {
		return err
	}
	defer txn.Rollback()
	if txn.Catalog().TableByID(t.ID) != t {
		return nil // it has been changed
	}
	return k.addUnread(ctx, txn, name, face, []*kv.Table{t}, out)
}

// addUnread adds a line for each column with unreadable values, and one for keys.
func (k *Keeper) addUnread(ctx context.Context, txn kv.Txn, name ast.TableName, face *typed.Table, families []*kv.Table,
	out *relation.Result) error {
	scan := face.Cells()
	cursor, err := txn.Scan(ctx, families, &scan)
	if err != nil {
		return err
	}
	u := unread{face: face, values: make([]found, len(face.Columns))}
	for err == nil && cursor.Next() {
		var v []byte
		if v, err = cursor.Value(); err == nil {
			u.cell(cursor.Cell(), v)
		}
	}
	if err := errors.Join(err, cursor.Err(), cursor.Close()); err != nil {
		return err
	}
	for i, f := range u.values {
		if f.n > 0 {
			c := &face.Columns[i]
			add(out, "check", name, "warning", fmt.Sprintf("%d values of column '%s' are not values of type %s and are read as NULL, the first in row X'%X'",
				f.n, c.Name, c.Type, f.first))
		}
	}
	if u.keys.n > 0 {
		add(out, "check", name, "warning", fmt.Sprintf("%d rows of HBase are not rows of the table, since their keys are not values of its primary key, "+
			"the first X'%X'", u.keys.n, u.keys.first))
	}
	return nil
}

// found is a number, and the first row key.
type found struct {
	n     int64
	first []byte
}

func (f *found) add(row []byte) {
	if f.n++; f.n == 1 {
		f.first = bytes.Clone(row)
	}
}

// unread counts unreadable values and keys.
type unread struct {
	face   *typed.Table
	values []found // by column
	keys   found
	row    []byte // the last one with an invalid key, nil at first
}

func (u *unread) cell(c *kv.Cell, v []byte) {
	column := u.face.OfCell(c.Family, c.Qualifier)
	if v == nil || column < 0 && !u.face.IsMarker(c.Qualifier) {
		return
	}
	if !u.face.HasRow(c.Row) {
		if u.row == nil || !bytes.Equal(u.row, c.Row) {
			u.keys.add(c.Row)
			u.row = append(u.row[:0:0], c.Row...)
		}
		return
	}
	if column < 0 {
		return
	}
	if _, ok := u.face.ReadCell(column, v); !ok {
		u.values[column].add(c.Row)
	}
}
