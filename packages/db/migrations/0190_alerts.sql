-- Alerts are webhooks with another shape of body: `channel` names it, null is a webhook. What `secret` seals is then where
-- the messages go, and `url` what people may see of it.
ALTER TABLE gleaner.webhooks
  ADD COLUMN channel text,
  ADD COLUMN name text,
  ADD COLUMN only_failed boolean NOT NULL DEFAULT false,
  -- The owner of the e-mail address has agreed.
  ADD COLUMN confirmed boolean NOT NULL DEFAULT true;
--> statement-breakpoint
-- Mails of an account on a day: `mail` counts its messages, `confirm` its questions to owners of addresses, `confirm:…` is the
-- one question to the address with this digest.
CREATE TABLE gleaner.alert_mails (
  account_id text NOT NULL,
  subject text NOT NULL,
  day date NOT NULL,
  count integer NOT NULL DEFAULT 1,
  PRIMARY KEY (account_id, subject, day)
);
--> statement-breakpoint
CREATE UNIQUE INDEX alert_mails_address ON gleaner.alert_mails (subject, day) WHERE subject LIKE 'confirm:%';
