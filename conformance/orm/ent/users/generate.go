package users

//go:generate go tool ent generate --feature sql/upsert,sql/lock,sql/modifier ./schema
