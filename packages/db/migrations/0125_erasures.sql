-- Accounts that are erased in parts, and the receipts that stay: how many rows of which table were removed.
CREATE TABLE gleaner.erasures (
  account_id text PRIMARY KEY,
  name text NOT NULL,
  begun_at timestamptz(3) NOT NULL DEFAULT now(),
  ended_at timestamptz(3),
  removed jsonb NOT NULL DEFAULT '{}'
);
