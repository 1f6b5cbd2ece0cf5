// Package infoschema shows the catalog: [Information] answers SHOW and DESCRIBE
// and gives the tables of information_schema, all from the newest catalog.
package infoschema
