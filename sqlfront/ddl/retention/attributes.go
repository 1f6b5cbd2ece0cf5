package retention

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

const attributesOption = "KV_ATTRIBUTES"

// attributeNames are the attributes of {"Hbase": {...}}, in any case. OceanBase also writes State and
// CreatedBy, for its own use.
var attributeNames = []string{"TimeToLive", "MaxVersions", "MinVersions", "State", "CreatedBy"}

// setAttributes sets the retention from OceanBase's KV_ATTRIBUTES. Attributes that the text does not mention
// are reset; the empty text mentions none.
func setAttributes(r *kv.Retention, text string) error {
	next := kv.Retention{DropExpired: r.DropExpired}
	if text != "" {
		a := attributes{Decoder: json.NewDecoder(strings.NewReader(text))}
		a.UseNumber()
		if err := a.read(&next); err != nil {
			return err
		}
	}
	*r = next
	return nil
}

// attributes reads the JSON text of KV_ATTRIBUTES.
type attributes struct{ *json.Decoder }

func (a attributes) read(r *kv.Retention) error {
	err := a.object([]string{"Hbase"}, func(string) error {
		return a.object(attributeNames, func(name string) error { return a.attribute(r, name) })
	})
	if err != nil {
		return err
	}
	if _, err := a.Token(); err != io.EOF {
		return a.invalid(errors.New("the document root must not be followed by other values"))
	}
	return nil
}

// object reads an object whose members are among these names, each at most once.
func (a attributes) object(names []string, member func(name string) error) error {
	if t, err := a.next(); err != nil {
		return err
	} else if t != json.Delim('{') {
		return wrong(attributesOption, "an object with %s is needed", strings.Join(names, ", "))
	}
	seen := map[string]bool{}
	for a.More() {
		t, err := a.next()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		i := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, key) })
		switch {
		case i < 0:
			return wrong(attributesOption, "'%.100s' is not one of %s", key, strings.Join(names, ", "))
		case seen[names[i]]:
			return wrong(attributesOption, "'%s' is given twice", names[i])
		}
		seen[names[i]] = true
		if err := member(names[i]); err != nil {
			return err
		}
	}
	_, err := a.next()
	return err
}

// next is the next token; the error is 3140 if there is none.
func (a attributes) next() (json.Token, error) {
	t, err := a.Token()
	if err != nil {
		return nil, a.invalid(err)
	}
	return t, nil
}

// invalid is error 3140 at the decoder's position.
func (a attributes) invalid(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the document ends too early")
	}
	return mysqlerr.New(mysqlerr.InvalidJSONText, "Invalid JSON text: \"%v\" at position %d in value for %s", err,
		a.InputOffset(), attributesOption)
}

// attribute reads the value of an attribute.
func (a attributes) attribute(r *kv.Retention, name string) error {
	v, err := a.next()
	if err != nil {
		return err
	}
	switch name {
	case "State":
		return harmless(name, v, "enable")
	case "CreatedBy":
		return harmless(name, v, "Admin")
	}
	number, ok := v.(json.Number)
	if !ok {
		return wrong(name, "a number is needed")
	}
	n, err := limit(name, number.String())
	switch name {
	case "TimeToLive":
		r.TTLSeconds = n
	case "MaxVersions":
		r.MaxVersions = int(n)
	case "MinVersions":
		r.MinVersions = int(n)
	}
	return err
}

// harmless accepts only the value of an attribute that changes nothing.
func harmless(name string, v json.Token, value string) error {
	if text, ok := v.(string); !ok || !strings.EqualFold(text, value) {
		return mysqlerr.Unsupported("KV_ATTRIBUTES with a " + name + " other than '" + value + "'")
	}
	return nil
}
