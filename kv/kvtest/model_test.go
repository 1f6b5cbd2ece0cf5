package kvtest

import (
	"testing"

	"github.com/hbasekv/hbasekv/kv"
)

func TestModel(t *testing.T) {
	Run(t, func(testing.TB) Opener {
		m := NewModel()
		return func(testing.TB) kv.Store {
			m = m.Reopen()
			return m
		}
	})
}
