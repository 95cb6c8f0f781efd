-- The route of a page whose address is another than its task's; -1: none takes it.
ALTER TABLE gleaner.fetched_pages ADD COLUMN route smallint;
