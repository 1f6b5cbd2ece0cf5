package records

import (
	"bytes"
	"encoding/json"

	"github.com/hbasekv/hbasekv/kv"
	descriptor "github.com/hbasekv/hbasekv/kv/attribute"
)

// appendLines appends a descriptor as two lines of JSON: its own members, and its attributes, if any.
// So it can be read without searching for the attributes.
func appendLines(dst []byte, d kv.Descriptor) ([]byte, error) {
	members, attributes := d.Parts()
	own, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	dst = append(append(dst, own...), '\n')
	if *attributes == nil {
		return dst, nil
	}
	more, err := json.Marshal(*attributes) // in one line
	return append(dst, more...), err
}

// readLines reads the output of appendLines into an empty descriptor. The error is the JSON decoder's.
func readLines(data []byte, d kv.Descriptor) error {
	members, attributes := d.Parts()
	own, more, _ := bytes.Cut(data, []byte{'\n'})
	if err := json.Unmarshal(own, members); err != nil || len(more) == 0 {
		return err
	}
	*attributes = &descriptor.Set{}
	return (*attributes).UnmarshalJSON(more)
}
