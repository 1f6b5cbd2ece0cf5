package permissions

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/permission"
)

func question() Question {
	return About(&kv.StoredCatalog{
		Databases: []*kv.Database{{Name: "a"}, {Name: "b"}},
		Tables: []*kv.Table{{Database: "a", Name: "t$f", Group: "t"}, {Database: "a", Name: "alone"},
			{Database: "b", Name: "u$f", Group: "u"}, {Database: "a", Name: "t$g", Group: "t"}},
	})
}

// answer makes a message with booleans as HBase encodes them, after a field that a newer server may add.
func answer(t *testing.T, has []bool) ([]permission.Permission, error) {
	b := appendNumber(nil, 9, 300)
	for _, may := range has {
		b = appendNumber(b, responseHas, protowire.EncodeBool(may))
	}
	return question().Ask(context.Background(), func(_ context.Context, _ string, _, answer proto.Message, _ bool) error {
		answer.ProtoReflect().SetUnknown(b)
		return nil
	})
}

func TestRead(t *testing.T) {
	const no = false
	got, err := answer(t, []bool{
		true, no, no, no, no, // everything
		true, true, no, no, no, true, no, no, no, no, // a, b
		true, true, no, true, no, true, true, no, no, no, true, no, no, no, no, // t, alone, u
	})
	require.NoError(t, err)
	require.Equal(t, []permission.Permission{
		{Actions: permission.Read},
		{Database: "a", Actions: permission.Write},
		{Database: "a", Table: "t$f", Actions: permission.Create},
		{Database: "a", Table: "t$g", Actions: permission.Create},
	}, got)

	all := make([]bool, 30)
	for i := range all {
		all[i] = true
	}
	got, err = answer(t, all)
	require.NoError(t, err)
	require.Equal(t, []permission.Permission{{Actions: permission.All}}, got)

	_, err = answer(t, all[1:])
	require.ErrorContains(t, err, "29 results for 30 permissions")
	_, err = question().read(message([]byte{8}))
	require.ErrorContains(t, err, "EOF")
}
