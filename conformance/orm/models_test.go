package orm

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Ordinary models: tables with the models' own columns, which the tools create.

type gormUser struct {
	ID        uint
	Name      string `gorm:"size:100;not null"`
	Email     *string
	Age       uint8 `gorm:"default:18"`
	Birthday  *time.Time
	Balance   float64
	Active    bool
	Notes     []byte
	CreatedAt time.Time
	UpdatedAt time.Time
}

func TestGormModel(t *testing.T) {
	notOnHBase(t, "typed tables")
	g, _ := gormOpen(t, memory+"?parseTime=true")
	require.NoError(t, g.AutoMigrate(&gormUser{}))
	require.NoError(t, g.AutoMigrate(&gormUser{}), "which is there already")
	require.True(t, g.Migrator().HasTable(&gormUser{}))
	require.True(t, g.Migrator().HasColumn(&gormUser{}, "birthday"))

	born := time.Date(1999, 12, 31, 23, 59, 59, 0, time.UTC)
	ann := gormUser{Name: "Ann", Email: ptr("ann@example.com"), Birthday: &born, Balance: 1.5, Active: true, Notes: []byte{0, 255}}
	require.NoError(t, g.Create(&ann).Error)
	require.EqualValues(t, 1, ann.ID)
	many := []gormUser{{Name: "Bob", Age: 40}, {Name: "Eve", Age: 41}}
	require.NoError(t, g.Create(&many).Error)
	require.EqualValues(t, []uint{2, 3}, []uint{many[0].ID, many[1].ID})

	var found gormUser
	require.NoError(t, g.First(&found, "name = ?", "Ann").Error)
	require.EqualValues(t, 18, found.Age, "the default")
	require.Equal(t, born, found.Birthday.UTC())
	require.Equal(t, []any{"ann@example.com", 1.5, true, []byte{0, 255}}, []any{*found.Email, found.Balance, found.Active, found.Notes})
	require.WithinDuration(t, time.Now(), found.CreatedAt, time.Minute)

	require.NoError(t, g.Model(&found).Updates(map[string]any{"age": gorm.Expr("age + ?", 1), "email": nil}).Error)
	require.NoError(t, g.First(&found, ann.ID).Error)
	require.EqualValues(t, 19, found.Age)
	require.Nil(t, found.Email)

	var names []string
	require.NoError(t, g.Model(&gormUser{}).Where("age BETWEEN ? AND ?", 19, 40).Order("age DESC").Limit(2).Pluck("name", &names).Error)
	require.Equal(t, []string{"Bob", "Ann"}, names)

	wants := gormUser{ID: 2, Name: "Bobby", Age: 1}
	upsert := clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoUpdates: clause.AssignmentColumns([]string{"name"})}
	require.NoError(t, g.Clauses(upsert).Create(&wants).Error)
	var bob gormUser
	require.NoError(t, g.Take(&bob, 2).Error)
	require.Equal(t, []any{"Bobby", uint8(40)}, []any{bob.Name, bob.Age})

	undone := errors.New("undone")
	require.ErrorIs(t, g.Transaction(func(tx *gorm.DB) error {
		require.NoError(t, tx.Delete(&gormUser{}, []uint{1, 2}).Error)
		return undone
	}), undone)
	require.NoError(t, g.Delete(&gormUser{}, 3).Error)
	var count int64
	require.NoError(t, g.Model(&gormUser{}).Count(&count).Error)
	require.EqualValues(t, 2, count)
	require.ErrorIs(t, g.First(&gormUser{}, 3).Error, gorm.ErrRecordNotFound)
	require.ErrorIs(t, g.Create(&gormUser{ID: 1, Name: "again"}).Error, gorm.ErrDuplicatedKey)
	require.NoError(t, g.Migrator().DropTable(&gormUser{}))
}

type gormAccount struct {
	gorm.Model
	Email string `gorm:"uniqueIndex;size:100"`
	City  string `gorm:"index:idx_place,priority:2;size:50"`
	Land  string `gorm:"index:idx_place,priority:1;size:2"`
}

// TestGormIndexes uses gorm.Model, which marks rows as deleted in an indexed column, and further indexes.
func TestGormIndexes(t *testing.T) {
	notOnHBase(t, "typed tables")
	g, _ := gormOpen(t, memory+"?parseTime=true")
	require.NoError(t, g.AutoMigrate(&gormAccount{}))
	require.NoError(t, g.AutoMigrate(&gormAccount{}), "which is there already")
	require.True(t, g.Migrator().HasIndex(&gormAccount{}, "Email"))
	require.True(t, g.Migrator().HasIndex(&gormAccount{}, "idx_gorm_accounts_deleted_at"))
	indexes, err := g.Migrator().GetIndexes(&gormAccount{})
	require.NoError(t, err)
	require.Len(t, indexes, 4)

	ann, bob := gormAccount{Email: "ann@example.com", Land: "NO", City: "Oslo"}, gormAccount{Email: "bob@example.com", Land: "NO"}
	require.NoError(t, g.Create(&ann).Error)
	require.NoError(t, g.Create(&bob).Error)
	require.ErrorIs(t, g.Create(&gormAccount{Email: "Ann@example.com"}).Error, gorm.ErrDuplicatedKey)
	require.ErrorIs(t, g.Model(&bob).Update("email", ann.Email).Error, gorm.ErrDuplicatedKey)
	again := gormAccount{Email: ann.Email, City: "Bergen"}
	upsert := clause.OnConflict{DoUpdates: clause.AssignmentColumns([]string{"city"})}
	require.NoError(t, g.Clauses(upsert).Create(&again).Error)
	require.NoError(t, g.Delete(&bob).Error)
	var found []gormAccount
	require.NoError(t, g.Where("land = ?", "NO").Find(&found).Error)
	require.Len(t, found, 1)
	require.Equal(t, "Bergen", found[0].City)
	require.ErrorIs(t, g.First(&gormAccount{}, "email = ?", "bob@example.com").Error, gorm.ErrRecordNotFound)
	require.NoError(t, g.Unscoped().First(&gormAccount{}, "email = ?", "bob@example.com").Error)
	require.NoError(t, g.Migrator().RenameIndex(&gormAccount{}, "idx_place", "idx_where"))
	require.NoError(t, g.Migrator().DropIndex(&gormAccount{}, "idx_where"))
}
