package orm

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/orm/ent/users"
	"github.com/hbasekv/hbasekv/conformance/orm/ent/users/pet"
	"github.com/hbasekv/hbasekv/conformance/orm/ent/users/user"
)

// TestEntModels uses ent's client for ordinary tables: migration, edges, hooks, batches, upserts, locks,
// savepoints, pages and an earlier version of a row.
func TestEntModels(t *testing.T) {
	onStores(t, func(t *testing.T, db *sql.DB) {
		ctx, client := t.Context(), users.NewClient(users.Driver(entsql.OpenDB(dialect.MySQL, db)))
		require.NoError(t, client.Schema.Create(ctx))
		before := definitions(t, db)
		require.NoError(t, client.Schema.Create(ctx), "which is there already")
		require.Equal(t, before, definitions(t, db))

		client.User.Use(func(next users.Mutator) users.Mutator {
			return users.MutateFunc(func(ctx context.Context, m users.Mutation) (users.Value, error) {
				if name, _ := m.Field(user.FieldName); name == "refused" {
					return nil, errRefused
				}
				return next.Mutate(ctx, m)
			})
		})
		require.ErrorIs(t, client.User.Create().SetName("refused").Exec(ctx), errRefused)
		ann := client.User.Create().SetName("Ann").SetEmail("ann@example.com").SetTags([]string{"a", "b"}).SaveX(ctx)
		var rest []*users.UserCreate
		for _, name := range []string{"Bob", "Eve", "Joe"} {
			rest = append(rest, client.User.Create().SetName(name).SetAge(len(rest)+30))
		}
		bulk := client.User.CreateBulk(rest...).SaveX(ctx)
		require.Equal(t, []int{ann.ID + 1, ann.ID + 2, ann.ID + 3}, []int{bulk[0].ID, bulk[1].ID, bulk[2].ID})
		err := client.User.Create().SetName("other").SetEmail("ann@example.com").Exec(ctx)
		require.True(t, users.IsConstraintError(err), err)
		require.True(t, users.IsValidationError(client.User.Create().SetName("x").SetAge(-1).Exec(ctx)))
		require.NoError(t, client.User.Create().SetName("Ann").SetEmail("ann@example.com").SetAge(50).
			OnConflict().Update(func(u *users.UserUpsert) { u.UpdateAge() }).Exec(ctx))
		client.Pet.CreateBulk(client.Pet.Create().SetName("Rex").SetOwner(ann),
			client.Pet.Create().SetName("Tom").SetOwnerID(ann.ID), client.Pet.Create().SetName("Stray")).ExecX(ctx)

		found := client.User.Query().Where(user.HasPetsWith(pet.NameHasPrefix("R"))).WithPets().OnlyX(ctx)
		require.Equal(t, []any{50, []string{"a", "b"}, user.StateActive, 2},
			[]any{found.Age, found.Tags, found.State, len(found.Edges.Pets)})
		require.WithinDuration(t, time.Now(), found.CreatedAt, time.Minute)
		require.Nil(t, client.User.GetX(ctx, bulk[0].ID).Email)
		require.Equal(t, "Ann", client.Pet.Query().Where(pet.Name("Tom")).QueryOwner().OnlyX(ctx).Name)
		require.Equal(t, []string{"Eve", "Bob"}, client.User.Query().Where(user.AgeLT(40), user.EmailIsNil()).
			Order(user.ByAge(entsql.OrderDesc())).Offset(1).Limit(2).Select(user.FieldName).StringsX(ctx))
		var counts []struct {
			State string
			Count int
			Max   int
		}
		client.User.Query().GroupBy(user.FieldState).Aggregate(users.Count(), users.Max(user.FieldAge)).
			ScanX(ctx, &counts)
		require.EqualValues(t, 4, counts[0].Count)
		require.EqualValues(t, 50, counts[0].Max)
		byPets := client.User.Query().Order(user.ByPetsCount(entsql.OrderDesc()), user.ByID()).AllX(ctx)
		require.Equal(t, "Ann", byPets[0].Name)

		moment := time.Now()
		time.Sleep(5 * time.Millisecond)
		tx, err := client.Tx(ctx)
		require.NoError(t, err)
		tx.User.Query().Where(user.ID(ann.ID)).ForUpdate().OnlyX(ctx)
		tx.User.UpdateOneID(ann.ID).AddAge(1).SetState(user.StateGone).ClearTags().ExecX(ctx)
		require.NoError(t, tx.Commit())
		tx, err = client.Tx(ctx)
		require.NoError(t, err)
		require.Equal(t, 4, tx.User.Delete().ExecX(ctx))
		require.NoError(t, tx.Rollback())
		was := client.User.Query().Modify(func(s *entsql.Selector) {
			s.FromExpr(entsql.ExprFunc(func(b *entsql.Builder) {
				b.WriteString("`users` FOR SYSTEM_TIME AS OF ").Arg(moment)
			}))
			s.Where(entsql.ExprP("`id` = ?", ann.ID))
		}).AllX(ctx)
		require.Equal(t, []any{1, 50, user.StateActive, []string{"a", "b"}},
			[]any{len(was), was[0].Age, was[0].State, was[0].Tags})
		now := client.User.GetX(ctx, ann.ID)
		require.Equal(t, []any{51, user.StateGone, []string(nil)}, []any{now.Age, now.State, now.Tags})
		client.User.DeleteOneID(bulk[2].ID).ExecX(ctx)
		require.True(t, users.IsNotFound(client.User.DeleteOneID(bulk[2].ID).Exec(ctx)))
	})
}
