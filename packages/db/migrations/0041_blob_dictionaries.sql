-- The hash of another content of the account, which is needed to read this one. It has none itself, and expires later.
ALTER TABLE gleaner.blobs ADD COLUMN dictionary bytea;
