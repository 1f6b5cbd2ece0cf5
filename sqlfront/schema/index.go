package schema

// Index is a secondary index as it was declared.
type Index struct {
	Name   string      `json:"name"`
	Unique bool        `json:"unique,omitempty"`
	Parts  []IndexPart `json:"parts"`
	// Using is BTREE or HASH as it was declared; it has no effect.
	Using   string `json:"using,omitempty"`
	Comment string `json:"comment,omitempty"`
	// Texts says that entries have the texts of which their rows only have the weights. Those of older
	// versions do not.
	Texts bool `json:"texts,omitempty"`
	// UTF8 is rowcodec.Part.UTF8 of the entries.
	UTF8 bool `json:"utf8,omitempty"`
}

// IndexPart is a column of an index.
type IndexPart struct {
	Column int `json:"column"` // index among the table's columns
	// Length is the number of characters, or bytes of binary strings, that are indexed; 0 is all.
	Length int `json:"length,omitempty"`
}
