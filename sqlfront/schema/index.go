package schema

// Index is a secondary index, as it was declared.
type Index struct {
	Name   string      `json:"name"`
	Unique bool        `json:"unique,omitempty"`
	Parts  []IndexPart `json:"parts"`
	// Using is BTREE or HASH as it was declared, which says nothing.
	Using   string `json:"using,omitempty"`
	Comment string `json:"comment,omitempty"`
	// Texts says that entries keep the texts of which their rows have no more than what these are compared by. Those that older
	// versions made do not.
	Texts bool `json:"texts,omitempty"`
}

// IndexPart is a column of an index.
type IndexPart struct {
	Column int `json:"column"` // its place among the table's columns
	// Length is how many characters, or bytes of what has bytes, count of a value; 0 is all.
	Length int `json:"length,omitempty"`
}
