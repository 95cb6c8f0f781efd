-- Contents by their SHA-256, each once in an account. `bytes` is null when they are in an S3-compatible store.
CREATE TABLE gleaner.blobs (
  account_id text NOT NULL,
  hash bytea NOT NULL,
  encoding text NOT NULL,
  bytes bytea,
  size_bytes integer NOT NULL,
  stored_bytes integer NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, hash)
);
--> statement-breakpoint
-- They are compressed already.
ALTER TABLE gleaner.blobs ALTER COLUMN bytes SET STORAGE EXTERNAL;
--> statement-breakpoint
CREATE INDEX blobs_expiry ON gleaner.blobs (expires_at);
--> statement-breakpoint
-- The bytes that an account has stored are the sum of its shards: several workers add to it at once.
CREATE TABLE gleaner.blob_usage (
  account_id text NOT NULL,
  shard smallint NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (account_id, shard)
);
--> statement-breakpoint
-- Screenshots and PDFs of pages. Whoever knows the id may read the file until it expires.
CREATE TABLE gleaner.files (
  id text NOT NULL PRIMARY KEY,
  account_id text NOT NULL,
  hash bytea NOT NULL,
  content_type text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL
);
--> statement-breakpoint
CREATE INDEX files_expiry ON gleaner.files (expires_at);
