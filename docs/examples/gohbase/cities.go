// Package cities is a program of gohbase's, as it would run on a cluster. Its test needs no cluster.
package cities

import (
	"context"
	"errors"

	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
)

// ErrTaken says that a user already has a city.
var ErrTaken = errors.New("the user has a city already")

// Cities keeps the city of each user in the table users, family info.
type Cities struct{ Client gohbase.Client }

// City is where a user lives, "" if it is not known.
func (c Cities) City(ctx context.Context, user string) (string, error) {
	get, err := hrpc.NewGetStr(ctx, "users", user, hrpc.Families(map[string][]string{"info": {"city"}}))
	if err != nil {
		return "", err
	}
	result, err := c.Client.Get(get)
	if err != nil || len(result.Cells) == 0 {
		return "", err
	}
	return string(result.Cells[0].Value), nil
}

// Claim gives a user a city, or fails with ErrTaken: HBase's CheckAndPut.
func (c Cities) Claim(ctx context.Context, user, city string) error {
	put, err := hrpc.NewPutStr(ctx, "users", user, map[string]map[string][]byte{"info": {"city": []byte(city)}})
	if err != nil {
		return err
	}
	done, err := c.Client.CheckAndPut(put, "info", "city", nil)
	if err == nil && !done {
		err = ErrTaken
	}
	return err
}
