// Package rights knows who may log in and what they may do: [Accounts], each with its
// [Privileges] on everything, on databases and on tables, and [Authority], which
// answers for one session whether it may do what a statement asks for
// (https://dev.mysql.com/doc/refman/5.7/en/privilege-system.html).
//
// Accounts are immutable: a change makes others. Where they are kept, and what a
// statement needs, is for others to say.
package rights
