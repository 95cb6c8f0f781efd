import type { z } from 'zod';
import { PREBUILT_APIS } from '../apis/prebuilt-apis.ts';
import { actionSchema } from '../fetching/browser-actions.ts';
import { scrapeConfigSchema, screenshotField } from '../fetching/scrape-config.ts';
import { paginationField } from '../fields.ts';
import { crawlField, routeField } from '../runs/crawls.ts';
import { sinkSchema } from '../runs/sinks.ts';
import { sourceField } from '../runs/sources.ts';
import { stageSinkField } from '../runs/stage-sinks.ts';
import { cronTargetSchema, targetSchema } from '../runs/targets.ts';
import { stageFromSchema, workflowLimitsField, workflowStageSchema } from '../runs/workflow-stages.ts';
import { alertFilterField, alertSchema, alertToSchema } from './alerts.ts';
import { countsSchema } from './batches.ts';
import { changeFilterSchema, changeTestSchema } from './change-filter.ts';
import { changeSchema } from './changes.ts';
import { crawlLimits } from './crawls.ts';
import { databaseSchema, tableSchema } from './databases.ts';
import { heldRowsBody } from './health.ts';
import { changesField } from './parsers.ts';
import {
  failureCausesField,
  failuresByCause,
  heldRemovalSchema,
  leastMost,
  refusedFields,
  rowChangesSchema,
  runCreditsSchema,
  wayCountSchema,
} from './runs.ts';
import { deliverySchema, webhookSchema } from './webhooks.ts';
import { stageStateSchema, workflowRunSchema } from './workflow-runs.ts';

/** Parts of several inputs, by the names that OpenAPI and the client give them. */
export const SHARED_PARTS = {
  Action: actionSchema,
  AlertFilter: alertFilterField,
  AlertTo: alertToSchema,
  ApiTarget: targetSchema.options[1],
  ChangeFilter: changeFilterSchema,
  ChangeTest: changeTestSchema,
  Crawl: crawlField,
  CrawlLimits: crawlLimits,
  CrawlRoute: routeField,
  CrawlSources: crawlField.shape.sources,
  CronTarget: cronTargetSchema,
  DatabaseSink: sinkSchema.options[1],
  HeldRows: heldRowsBody,
  ParserTarget: targetSchema.options[0],
  ReturnSink: sinkSchema.options[0],
  ScrapeConfig: scrapeConfigSchema,
  Screenshot: screenshotField,
  Sink: sinkSchema,
  Source: sourceField,
  Stage: workflowStageSchema,
  StageFrom: stageFromSchema,
  StageSink: stageSinkField,
  Target: targetSchema,
  WorkflowLimits: workflowLimitsField,
} satisfies Record<string, z.ZodType>;

/** Parts of several answers. */
export const SHARED_ANSWERS = {
  Alert: alertSchema,
  Change: changeSchema,
  Database: databaseSchema,
  Estimate: leastMost,
  FailureCause: failureCausesField.unwrap().element,
  FieldChange: changesField.element,
  FailuresByCause: failuresByCause,
  HeldRemoval: heldRemovalSchema,
  Pagination: paginationField,
  PauseOfRun: workflowRunSchema.shape.paused.unwrap(),
  PhotoappPost: PREBUILT_APIS['photoapp-posts'].output.shape.posts.element,
  RefusedInput: refusedFields.refused.element,
  RowChanges: rowChangesSchema,
  RunCounts: countsSchema,
  RunCredits: runCreditsSchema,
  StageState: stageStateSchema,
  TableColumn: tableSchema.shape.columns.element,
  TableHistory: tableSchema.shape.history.unwrap(),
  VideositePagination: PREBUILT_APIS['videosite-search'].output.shape.pagination,
  WayCount: wayCountSchema,
  Webhook: webhookSchema,
  WebhookDelivery: deliverySchema,
} satisfies Record<string, z.ZodType>;
