import { readText, searchReader } from '../parts/read-search.ts';

/** The chosen stage of a run of a workflow, and the opened failure. */
export const readWorkflowRunSearch = searchReader({ stage: readText, failure: readText, row: readText });
