/** The chosen stage of a run of a workflow, and the opened failure. */
export interface WorkflowRunSearch {
  stage?: string | undefined;
  failure?: string | undefined;
}

export function readWorkflowRunSearch({ stage, failure }: Record<string, unknown>): WorkflowRunSearch {
  return {
    ...(typeof stage === 'string' ? { stage } : {}),
    ...(typeof failure === 'string' ? { failure } : {}),
  };
}
