-- outside a transaction
-- A re-parse whose page has expired finds nothing, so its references go with the page.
DELETE FROM gleaner.reparsed_pages r
WHERE NOT EXISTS (SELECT 1 FROM gleaner.kept_pages p WHERE p.id = r.page_id);
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS gleaner.reparsed_pages_page;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY reparsed_pages_page ON gleaner.reparsed_pages (page_id);
