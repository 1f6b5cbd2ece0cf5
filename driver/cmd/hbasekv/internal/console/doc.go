// Package console is the pages of a server in the browser: keys over time, tables, rows, SQL, and what
// goes on now.
//
// A browser logs in as an account of the server ([Console.login]). What it asks for then runs in a
// session of SQL with the rights of that account, as over MySQL's protocol: whatever an account may not
// see there it does not see here. Nothing is written unless Options.Writes is set.
//
// The pages are static files in static/, without a build step; they and the answers are bound to one
// origin by headers ([harden]), and each request that does something carries a token that only a page
// of this origin can know.
package console
