package orm

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/mysqldialect"
)

type bunUser struct {
	bun.BaseModel `bun:"table:users,alias:u"`

	ID      int64  `bun:",pk,autoincrement"`
	Name    string `bun:",notnull,unique"`
	Emails  []string
	Score   sql.NullFloat64
	Price   string     `bun:"type:decimal(10,2),default:'0.00'"`
	Created time.Time  `bun:",nullzero,notnull,default:current_timestamp"`
	Deleted time.Time  `bun:",soft_delete,nullzero"`
	Stories []bunStory `bun:"rel:has-many,join:id=author_id"`
	Tags    []bunTag   `bun:"m2m:users_tags,join:User=Tag"`
}

var _ bun.BeforeAppendModelHook = (*bunUser)(nil)

// BeforeAppendModel refuses users without a name, and sets their price.
func (u *bunUser) BeforeAppendModel(_ context.Context, query bun.Query) error {
	if _, ok := query.(*bun.InsertQuery); ok && u.Name == "" {
		return errRefused
	} else if ok && u.Price == "" {
		u.Price = "1.50"
	}
	return nil
}

type bunStory struct {
	bun.BaseModel `bun:"table:stories"`

	ID       int64 `bun:",pk,autoincrement"`
	Title    string
	AuthorID int64
	Author   *bunUser `bun:"rel:belongs-to,join:author_id=id"`
}

type bunTag struct {
	bun.BaseModel `bun:"table:tags"`

	ID   int64 `bun:",pk,autoincrement"`
	Name string
}

type bunUserTag struct {
	bun.BaseModel `bun:"table:users_tags"`

	UserID int64    `bun:",pk"`
	User   *bunUser `bun:"rel:belongs-to,join:user_id=id"`
	TagID  int64    `bun:",pk"`
	Tag    *bunTag  `bun:"rel:belongs-to,join:tag_id=id"`
}

func bunModels(t *testing.T, db *sql.DB) *bun.DB {
	t.Helper()
	b := bun.NewDB(db, mysqldialect.New())
	b.RegisterModel((*bunUserTag)(nil))
	for range 2 {
		for _, model := range []any{(*bunUser)(nil), (*bunStory)(nil), (*bunTag)(nil), (*bunUserTag)(nil)} {
			exec(t, b.NewCreateTable().Model(model).IfNotExists().WithForeignKeys())
		}
	}
	return b
}

// TestBunModels uses models with relations, a hook, soft delete, upserts, savepoints, pages and earlier
// versions of rows.
func TestBunModels(t *testing.T) {
	onStores(t, func(t *testing.T, db *sql.DB) {
		b, ctx := bunModels(t, db), t.Context()
		users := []bunUser{{Name: "Ann", Emails: []string{"a", "b"}},
			{Name: "Bob", Score: sql.NullFloat64{Float64: 0.5, Valid: true}}, {Name: "Eve"}}
		exec(t, b.NewInsert().Model(&users))
		require.Equal(t, []int64{1, 2, 3}, []int64{users[0].ID, users[1].ID, users[2].ID})
		_, err := b.NewInsert().Model(&bunUser{}).Exec(ctx)
		require.ErrorIs(t, err, errRefused)
		_, err = b.NewInsert().Model(&bunUser{Name: "ann"}).Exec(ctx)
		require.ErrorContains(t, err, "1062")
		exec(t, b.NewInsert().Model(&[]bunStory{{Title: "one", AuthorID: 1}, {Title: "two", AuthorID: 1},
			{Title: "three", AuthorID: 2}}))
		exec(t, b.NewInsert().Model(&[]bunTag{{Name: "red"}, {Name: "blue"}}))
		exec(t, b.NewInsert().Model(&[]bunUserTag{{UserID: 1, TagID: 1}, {UserID: 1, TagID: 2}, {UserID: 3, TagID: 2}}))

		var found []bunUser
		require.NoError(t, b.NewSelect().Model(&found).Relation("Stories").Relation("Tags").OrderExpr("u.name DESC").
			Scan(ctx))
		require.Equal(t, []string{"Eve", "Bob", "Ann"}, []string{found[0].Name, found[1].Name, found[2].Name})
		require.Equal(t, []int{2, 2, 1, 1}, []int{len(found[2].Stories), len(found[2].Tags), len(found[1].Stories),
			len(found[0].Tags)})
		require.Equal(t, []any{[]string{"a", "b"}, "1.50", false, 0.5},
			[]any{found[2].Emails, found[2].Price, found[2].Score.Valid, found[1].Score.Float64})
		require.WithinDuration(t, time.Now(), found[0].Created, time.Minute)
		var stories []bunStory
		require.NoError(t, b.NewSelect().Model(&stories).Relation("Author").Where("author.name = ?", "Ann").Limit(1).
			Offset(1).Order("id").Scan(ctx))
		require.Equal(t, []string{"two", "Ann"}, []string{stories[0].Title, stories[0].Author.Name})

		again := &bunUser{Name: "Ann", Price: "9.99"}
		exec(t, b.NewInsert().Model(again).On("DUPLICATE KEY UPDATE").Set("price = VALUES(price)"))
		exec(t, b.NewInsert().Model(&bunUser{Name: "Ann"}).Ignore())
		before := time.Now()
		time.Sleep(5 * time.Millisecond)
		require.NoError(t, b.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
			exec(t, tx.NewUpdate().Model(&bunUser{ID: 2, Name: "Bobby"}).Column("name").WherePK())
			failed := tx.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { // a savepoint
				exec(t, tx.NewDelete().Model((*bunStory)(nil)).Where("TRUE"))
				return errRefused
			})
			if !errors.Is(failed, errRefused) {
				return failed
			}
			_, err := tx.NewUpdate().Model(&[]bunUser{{ID: 1, Price: "2.00"}, {ID: 3, Price: "3.00"}}).Column("price").
				Bulk().Exec(ctx)
			return err
		}))
		var was bunUser
		require.NoError(t, b.NewSelect().Model(&was).ModelTableExpr("users FOR SYSTEM_TIME AS OF ? AS u", before).
			Where("id = 2").Scan(ctx))
		require.Equal(t, "Bob", was.Name)
		var sums []map[string]any
		require.NoError(t, b.NewSelect().Model((*bunUser)(nil)).
			ColumnExpr("u.name, COUNT(s.id) AS n, SUM(u.price) AS price").
			Join("LEFT JOIN stories AS s ON s.author_id = u.id").GroupExpr("u.id").OrderExpr("n DESC, u.id").
			Scan(ctx, &sums))
		require.EqualValues(t, []any{"Ann", int64(2), "Bobby", int64(1)},
			[]any{sums[0]["name"], sums[0]["n"], sums[1]["name"], sums[1]["n"]})

		exec(t, b.NewDelete().Model(&bunUser{ID: 1}).WherePK())
		n, err := b.NewSelect().Model((*bunUser)(nil)).Count(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 2, n, "the third is marked as deleted")
		n, err = b.NewSelect().Model((*bunUser)(nil)).WhereAllWithDeleted().
			Where("name IN (?)", bun.List([]string{"Ann", "Bobby"})).Count(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 2, n)
		exec(t, b.NewDelete().Model(&bunUser{ID: 1}).WherePK().ForceDelete())
		exists, err := b.NewSelect().Model((*bunUser)(nil)).WhereAllWithDeleted().Where("id = 1").Exists(ctx)
		require.NoError(t, err)
		require.False(t, exists)
	})
}
