import { z } from 'zod';
import { identifierField } from '../fields.ts';
import { scrapeConfigSchema } from '../fetching/scrape-config.ts';
import { crawlField, routesField } from './crawls.ts';
import { jsonPathField, stageSinkField } from './stage-sinks.ts';
import { targetSchema } from './targets.ts';

/** Most stages of a workflow. */
export const MAX_STAGES = 20;
/** Most tasks of one workflow run. */
export const MAX_WORKFLOW_TASKS = 1_000_000;
/** Most tasks of a stage that takes its own results, unless it says otherwise. */
export const DEFAULT_OWN_LIMIT = 1_000;
/** Most children that one result gives to one stage; what is beyond it is counted as over the limit. */
export const MAX_CHILDREN = 10_000;

const MAX_SOURCES = 4;

export const stageFromSchema = z.strictObject({
  stage: identifierField
    .optional()
    .describe(
      'The stage whose results it takes; itself, to follow next-page links. Default: the one before.',
    ),
  route: identifierField
    .optional()
    .describe('Of a stage that crawls: the route whose results it takes. Default: the only one.'),
  path: jsonPathField.describe(
    'JSONPath (RFC 9535, without filters) to the URLs or inputs in a result: `$.items[*].url`. Lists are taken apart, nulls left out, and relative URLs are resolved against the page.',
  ),
  as: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,62}$/)
    .optional()
    .describe('For prebuilt APIs: the parameter that takes the value, when it is not an object: `video_id`.'),
});

const tasksField = z.int().min(1).max(MAX_WORKFLOW_TASKS).optional();

const stageNameField = identifierField.describe('Unique in the workflow.');

const targetStageSchema = z.strictObject({
  name: stageNameField,
  target: targetSchema,
  from: z
    .union([stageFromSchema, z.array(stageFromSchema).min(1).max(MAX_SOURCES)])
    .optional()
    .describe(
      'Where its inputs come from. The first stage takes the inputs of the run, and may take its own results too.',
    ),
  scrape_config: scrapeConfigSchema.optional(),
  sink: stageSinkField.optional().describe('Default: results are kept for 24 hours.'),
  limit: tasksField.describe(
    'Maximum tasks of this stage in one run. Default: no limit, or 1,000 when it takes its own results.',
  ),
});

const crawlStageSchema = z
  .strictObject({
    name: stageNameField,
    crawl: crawlField,
    routes: routesField,
    scrape_config: scrapeConfigSchema.optional().describe('How its pages are fetched, whatever their route.'),
    limit: tasksField.describe('Maximum pages of one run. Default: 1,000.'),
  })
  .describe('Reads a site, from the addresses that the run is given. Only the first stage can.');

export const workflowStageSchema = z
  .union([targetStageSchema, crawlStageSchema])
  .describe('Runs a target over its inputs, or reads a site.');

const limitsSchema = z.strictObject({
  tasks: tasksField.describe('Maximum tasks of all stages. Default: 1,000,000.'),
  credits: z.int().min(1).max(1_000_000_000).optional().describe('Maximum credits that one run may charge.'),
});

export const workflowStagesField = z
  .array(workflowStageSchema)
  .min(1)
  .max(MAX_STAGES)
  .describe('In order: a stage takes results of stages before it, or its own.');

export const workflowLimitsField = limitsSchema.describe('Limits of one run.');

export type TargetStage = z.output<typeof targetStageSchema>;
export type CrawlStage = z.output<typeof crawlStageSchema>;
export type WorkflowStage = TargetStage | CrawlStage;
export type WorkflowLimits = z.output<typeof limitsSchema>;

/** What a workflow does: the part of it that is versioned. */
export interface WorkflowDefinition {
  stages: WorkflowStage[];
  limits: WorkflowLimits;
}
