-- Parsers that exist read pages without what stands in shadow roots and frames, as they did.
UPDATE gleaner.parsers SET scrape_config = scrape_config || '{"composed": false}' WHERE NOT scrape_config ? 'composed';
