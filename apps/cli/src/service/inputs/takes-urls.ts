import type { Client } from '@gleaner/client';
import { isObject } from '@gleaner/contracts/values';

/** Whether the first stage of a workflow takes addresses. */
async function workflowTakesUrls(client: Client, id: string): Promise<boolean> {
  const { stages } = await client.workflows.get(id);
  const [first] = stages;
  return !(first && 'target' in first && first.target?.type === 'api');
}

/** Whether a target takes addresses; one of a prebuilt API takes objects of its parameters. */
export async function takesUrls(client: Client, target: unknown): Promise<boolean> {
  if (!isObject(target)) return true;
  const { type, workflowId } = target;
  return typeof workflowId === 'string' ? workflowTakesUrls(client, workflowId) : type !== 'api';
}
