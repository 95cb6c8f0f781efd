import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectMetrics, createMetrics } from '@gleaner/core';
import { openTestServices } from '@gleaner/core/testing';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const root = join(import.meta.dirname, '..', '..');
function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

const RULES = 'deploy/prometheus/alerts.yml';
const DASHBOARD = 'deploy/grafana/gleaner.json';

const ruleSchema = z.object({
  alert: z.string(),
  expr: z.string(),
  annotations: z.object({ summary: z.string(), runbook: z.string() }),
});
const rules = z
  .object({ groups: z.array(z.object({ rules: z.array(ruleSchema) })) })
  .parse(parse(read(RULES)))
  .groups.flatMap((group) => group.rules);
const dashboardSchema = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).min(1) })),
});
const panels = dashboardSchema.parse(JSON.parse(read(DASHBOARD))).panels;

function namesIn(expressions: readonly string[]): Set<string> {
  return new Set(
    expressions
      .flatMap((expression) => expression.match(/\b(?:gleaner|process|nodejs)_\w+/g) ?? [])
      .map((name) => name.replace(/_(?:bucket|sum|count)$/, '')),
  );
}

it('every metric of the alerts and the dashboard is in /metrics', async () => {
  const { services, close } = await openTestServices();
  const { text } = await collectMetrics({ ...services, metrics: createMetrics('test') }, {});
  await close();
  const exported = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name ?? ''));
  const used = namesIn([
    ...rules.map(({ expr }) => expr),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ]);
  expect(used.size).toBeGreaterThan(15);
  expect([...used].filter((name) => !exported.has(name))).toEqual([]);
});

it('every alert has a section that says what to do, and every section an alert', () => {
  const sections = [...read('docs/operate/alerts.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name ?? '');
  expect(sections.toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  for (const { alert, annotations } of rules)
    expect(annotations.runbook).toBe(`docs/operate/alerts.md#${alert.toLowerCase()}`);
});
