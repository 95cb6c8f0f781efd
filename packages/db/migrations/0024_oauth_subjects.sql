-- Subjects of an OAuth issuer whose access tokens open /mcp for an account.
CREATE TABLE gleaner.oauth_subjects (
  id text NOT NULL PRIMARY KEY,
  account_id text NOT NULL REFERENCES gleaner.accounts (id) ON DELETE CASCADE,
  issuer text NOT NULL,
  subject text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE UNIQUE INDEX oauth_subjects_subject ON gleaner.oauth_subjects (issuer, subject);
--> statement-breakpoint
CREATE INDEX oauth_subjects_account ON gleaner.oauth_subjects (account_id);
