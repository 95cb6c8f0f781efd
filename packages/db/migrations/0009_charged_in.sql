-- The successes of a group share one ledger entry: this names it, by the entry's reference.
ALTER TABLE gleaner.requests ADD COLUMN charged_in text;
