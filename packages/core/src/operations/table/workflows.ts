import * as operations from '@gleaner/contracts';
import { createWorkflow, deleteWorkflow, updateWorkflow } from '../../workflows/change-workflows.ts';
import { getWorkflow, listWorkflows } from '../../workflows/read-workflows.ts';
import { cancelWorkflowRun, retryWorkflowRun } from '../../workflows/runs/change-workflow-run.ts';
import { createWorkflowRun } from '../../workflows/runs/create-workflow-run.ts';
import {
  getWorkflowRun,
  getWorkflowRunFailures,
  listRunsOfWorkflow,
  listWorkflowRuns,
  watchWorkflowRun,
} from '../../workflows/runs/read-workflow-runs.ts';
import { pair } from '../pair.ts';

export const workflowEntries = [
  pair(operations.createWorkflow, createWorkflow),
  pair(operations.listWorkflows, listWorkflows),
  pair(operations.getWorkflow, getWorkflow),
  pair(operations.updateWorkflow, updateWorkflow),
  pair(operations.deleteWorkflow, deleteWorkflow),
  pair(operations.createWorkflowRun, createWorkflowRun),
  pair(operations.listRunsOfWorkflow, listRunsOfWorkflow),
  pair(operations.listWorkflowRuns, listWorkflowRuns),
  pair(operations.getWorkflowRun, getWorkflowRun),
  pair(operations.getWorkflowRunFailures, getWorkflowRunFailures),
  pair(operations.watchWorkflowRun, watchWorkflowRun),
  pair(operations.cancelWorkflowRun, cancelWorkflowRun),
  pair(operations.retryWorkflowRun, retryWorkflowRun),
];
