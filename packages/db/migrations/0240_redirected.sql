-- Where pages of a chunk go on whose redirects had to wait: `Redirected` of packages/contracts by seq.
ALTER TABLE gleaner.chunks ADD COLUMN redirected jsonb;
