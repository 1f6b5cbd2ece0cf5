// Package rights knows who may log in and what they may do: [Accounts], each with its
// [Privileges] on everything, on databases and on tables, and [Authority], which
// answers for one session whether it may do what a statement asks for
// (https://dev.mysql.com/doc/refman/5.7/en/privilege-system.html).
//
// Accounts are immutable: a change makes new ones. Other packages store them, and know what a statement
// needs.
package rights
