-- Runs that have begun, and crawls of saved workflows, read pages without what stands in shadow roots and frames, as they did.
UPDATE gleaner.runs SET config = config || '{"composed": false}'
WHERE state IN ('pending', 'running') AND target ->> 'type' IN ('parser', 'schema', 'crawl') AND NOT config ? 'composed';
--> statement-breakpoint
UPDATE gleaner.workflows SET definition = jsonb_set(definition, '{stages}', (
  SELECT jsonb_agg(
    CASE WHEN stage ? 'crawl' AND NOT coalesce(stage -> 'scrape_config', '{}') ? 'composed'
      THEN jsonb_set(stage, '{scrape_config}', coalesce(stage -> 'scrape_config', '{}') || '{"composed": false}')
      ELSE stage END ORDER BY place)
  FROM jsonb_array_elements(definition -> 'stages') WITH ORDINALITY AS listed (stage, place)))
WHERE definition @? '$.stages[*].crawl';
