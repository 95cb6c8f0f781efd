-- Runs whose results were deleted and are being removed in parts.
CREATE TABLE gleaner.removals (
  run_no bigint NOT NULL PRIMARY KEY,
  account_id text NOT NULL,
  begun_at timestamptz(3) NOT NULL DEFAULT now()
);
