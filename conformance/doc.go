// Package conformance tests hbasekv as its users see it: through database/sql alone. The
// tests are in folders by subject, and what they share is in internal; docs/CONTRIBUTING.md
// says which to run. It has no code of its own.
package conformance
