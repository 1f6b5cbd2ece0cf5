package orm

import (
	"database/sql"
	"path/filepath"
	"testing"

	gosql "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"xorm.io/xorm"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/mysqlservertest"
)

// served is the socket of a server with an in-memory store.
func served(t *testing.T) (socket string) {
	t.Helper()
	db, err := sql.Open("hbasekv", memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return mysqlservertest.Serve(t, db)
}

// Product is the model on gorm's first page.
type Product struct {
	gorm.Model
	Code  string
	Price uint
}

// TestGormQuickStart runs the program on gorm's first page with what its page about databases shows for
// MySQL: the driver's name and a DSN, a server's DSN, and a configuration of a MySQL driver.
func TestGormQuickStart(t *testing.T) {
	notOnHBase(t, "typed tables")
	server := "root@unix(" + served(t) + ")/default?charset=utf8mb4&parseTime=True&loc=Local"
	config, err := gosql.ParseDSN(server)
	require.NoError(t, err)
	for name, dialector := range map[string]gorm.Dialector{
		"driver": mysql.New(mysql.Config{DriverName: "hbasekv",
			DSN: filepath.Join(t.TempDir(), "data") + "?charset=utf8mb4&parseTime=True&loc=Local"}),
		"server": mysql.Open(server),
		"config": mysql.New(mysql.Config{DSNConfig: config, DefaultStringSize: 256}),
	} {
		t.Run(name, func(t *testing.T) {
			db, err := gorm.Open(dialector, &gorm.Config{Logger: logger.Discard})
			require.NoError(t, err)
			sqlDB, err := db.DB()
			require.NoError(t, err)
			defer sqlDB.Close()
			require.NoError(t, db.Migrator().DropTable(&Product{}))
			require.NoError(t, db.AutoMigrate(&Product{}))

			require.NoError(t, db.Create(&Product{Code: "D42", Price: 100}).Error)
			var product Product
			require.NoError(t, db.First(&product, 1).Error)
			require.NoError(t, db.First(&product, "code = ?", "D42").Error)
			require.NoError(t, db.Model(&product).Update("Price", 200).Error)
			require.NoError(t, db.Model(&product).Updates(Product{Price: 200, Code: "F42"}).Error)
			require.NoError(t, db.Model(&product).Updates(map[string]any{"Price": 200, "Code": "F42"}).Error)
			require.Equal(t, []any{uint(200), "F42"}, []any{product.Price, product.Code})
			require.NoError(t, db.Delete(&product, 1).Error)
			require.ErrorIs(t, db.First(&Product{}, 1).Error, gorm.ErrRecordNotFound)
		})
	}
}

// TestXormQuickStart opens xorm with go-sql-driver/mysql's name, as on its first page, on a server.
func TestXormQuickStart(t *testing.T) {
	notOnHBase(t, "typed tables")
	engine, err := xorm.NewEngine("mysql", "root@unix("+served(t)+")/default?charset=utf8")
	require.NoError(t, err)
	defer engine.Close()
	type User struct {
		Id      int64
		Name    string
		Salt    string
		Age     int
		Passwd  string `xorm:"varchar(200)"`
		Created int64  `xorm:"created"`
		Updated int64  `xorm:"updated"`
	}
	require.NoError(t, engine.Sync(new(User)))
	require.NoError(t, engine.Sync(new(User)))
	affected, err := engine.Insert(&User{Name: "slene", Age: 1}, &[]User{{Name: "two"}, {Name: "three"}})
	require.NoError(t, err)
	require.EqualValues(t, 3, affected)
	user := User{Name: "slene"}
	has, err := engine.Get(&user)
	require.NoError(t, err)
	require.Equal(t, []any{true, int64(1)}, []any{has, user.Id})
	var users []User
	require.NoError(t, engine.Where("name <> ? AND age = ?", "", 0).Limit(10, 0).Find(&users))
	require.Len(t, users, 2)
	results, err := engine.QueryString("select * from user")
	require.NoError(t, err)
	require.Len(t, results, 3)
}
