import { z } from 'zod';
import {
  changedSlugField,
  idField,
  listAnswer,
  nameField,
  nullIsAbsent,
  refField,
  searchQuery,
  shownSlugField,
  slugField,
  timestampField,
} from '../fields.ts';
import { operationsOf, created, json } from '../define-operation.ts';
import { workflowLimitsField, workflowStagesField } from '../runs/workflow-stages.ts';

const define = operationsOf({ tag: 'Workflows', auth: 'key' });

export const workflowSchema = z
  .object({
    id: idField('workflow'),
    slug: shownSlugField,
    name: z.string(),
    description: z.string().nullable(),
    version: z
      .int()
      .describe('Grows with each change of stages or limits. A run keeps the one it started with.'),
    stages: workflowStagesField,
    limits: workflowLimitsField,
    created_at: timestampField,
    updated_at: timestampField,
  })
  .meta({ id: 'Workflow' });

export type WorkflowRecord = z.input<typeof workflowSchema>;

const params = z.strictObject({ id: refField('workflow') });
const descriptionField = z.string().max(2000);

export const createWorkflow = define('createWorkflow', 'POST /v1/workflows', {
  summary: 'Save stages that feed each other.',
  description:
    'Each result of a stage gives inputs to the stages that take from it: list pages, their next pages, detail pages. Paths are checked against what the stage’s target gives.',
  body: z.strictObject({
    name: nameField,
    slug: nullIsAbsent(slugField),
    description: nullIsAbsent(descriptionField),
    stages: workflowStagesField,
    limits: workflowLimitsField.optional(),
  }),
  answer: created(workflowSchema),
  errors: ['not_found', 'name_taken'],
  creates: true,
  showsSecret: true,
});

export const listWorkflows = define('listWorkflows', 'GET /v1/workflows', {
  summary: 'Workflows of the account, newest first.',
  query: searchQuery,
  answer: json(listAnswer('workflows', workflowSchema)),
});

export const getWorkflow = define('getWorkflow', 'GET /v1/workflows/{id}', {
  summary: 'One workflow.',
  params,
  answer: json(workflowSchema),
});

export const updateWorkflow = define('updateWorkflow', 'PUT /v1/workflows/{id}', {
  summary: 'Replace the given fields of a workflow; runs that have started go on as they are.',
  params,
  body: z.strictObject({
    name: nameField.optional(),
    slug: changedSlugField,
    description: descriptionField.nullable().optional(),
    stages: workflowStagesField.optional(),
    limits: workflowLimitsField.optional(),
  }),
  answer: json(workflowSchema),
  errors: ['name_taken'],
});

export const deleteWorkflow = define('deleteWorkflow', 'DELETE /v1/workflows/{id}', {
  summary: 'Delete a workflow that nothing uses. Its ended runs stay.',
  params,
  answer: { kind: 'empty', status: 204 },
  errors: ['in_use'],
});
