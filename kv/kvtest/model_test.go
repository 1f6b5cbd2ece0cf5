package kvtest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/model"
	"github.com/hbasekv/hbasekv/kv/kvtest/testgc"
)

func TestMain(m *testing.M) {
	testgc.Seldom()
	m.Run()
}

func TestModel(t *testing.T) {
	Run(t, func(_ testing.TB, clock func() time.Time) fixture.Opener {
		m := model.NewAt(clock)
		return func(testing.TB) kv.Store {
			m = m.Reopen()
			return m
		}
	})
}

// TestModelIsStrict requires that the Model detects what a caller must not do.
func TestModelIsStrict(t *testing.T) {
	m := model.New()
	f := fixture.New(t, func(testing.TB, func() time.Time) fixture.Opener { return func(testing.TB) kv.Store { return m } },
		fixture.Layouts()[2])
	f.Put("s", "a/q/1=v", "b/q/1=w")
	tx := fixture.Begin(m, kv.TxnOptions{})
	cursor, err := tx.Scan(f.Ctx, f.Tables(tx, []string{"s"}), &fixture.Everything)
	require.NoError(t, err)
	require.True(t, cursor.Next())
	row := cursor.Cell().Row
	value, err := cursor.Value()
	require.NoError(t, err)
	require.True(t, cursor.Next())
	require.Equal(t, "\xdb", string(row), "a cell's bytes are gone at the next step")
	require.Equal(t, "\xdb", string(value))

	keys, err := tx.Scan(f.Ctx, f.Tables(tx, []string{"s"}), &kv.Scan{})
	require.NoError(t, err)
	require.True(t, keys.Next())
	_, err = keys.Value()
	require.ErrorIs(t, err, model.ErrNotAsked)

	txns, cursors := m.InUse()
	require.Equal(t, []int{1, 2}, []int{txns, cursors})
	require.NoError(t, keys.Close())
	require.NoError(t, cursor.Close())
	tx.Rollback()
	txns, cursors = m.InUse()
	require.Equal(t, []int{0, 0}, []int{txns, cursors})
}

func ExampleModel() {
	ctx := context.Background()
	store := model.New()
	err := store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		if err := c.CreateDatabase(kv.Database{Name: "shop"}); err != nil {
			return err
		}
		_, err := c.CreateTable(kv.Table{Database: "shop", Name: "users$profile", Group: "users", Family: "profile"})
		return err
	})
	fmt.Println(err)

	tx := fixture.Begin(store, kv.TxnOptions{})
	users := tx.Catalog().Table("shop", "users$profile")
	fmt.Println(tx.Put(ctx, users, kv.Cell{Row: []byte("user1"), Qualifier: []byte("name"), Timestamp: 1,
		Value: []byte("Ada")}))
	fmt.Println(tx.Commit(ctx))

	tx = fixture.Begin(store, kv.TxnOptions{ReadOnly: true})
	defer tx.Rollback()
	cursor, err := tx.Scan(ctx, []*kv.Table{users}, &kv.Scan{Ordered: true, MaxVersions: 1, NeedValue: true})
	fmt.Println(err)
	defer cursor.Close()
	for cursor.Next() {
		value, err := cursor.Value()
		fmt.Printf("%s %s %d %s %v\n", cursor.Cell().Row, cursor.Cell().Qualifier, cursor.Cell().Timestamp, value, err)
	}
	fmt.Println(cursor.Err())
	// Output:
	// <nil>
	// <nil>
	// <nil>
	// <nil>
	// user1 name 1 Ada <nil>
	// <nil>
}
