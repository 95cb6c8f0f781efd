import type { Services } from '../../platform/context.ts';
import type { AccountGroups } from '../../platform/groups/create-account-groups.ts';
import { openAnswerInbox, type AnswerInbox, type InboxOptions } from './answer-inbox.ts';
import { createPauseCheck, type RefusePaused } from '../../platform/readiness/paused-queues.ts';
import { createEnder, type EndingRequest } from './end-requests.ts';
import { createSubmitter, type NewRequest, type Submission } from './submit-requests.ts';

/** The services for interactive requests: submission in groups, and waiting for results. */
export interface Interactive {
  answers: AnswerInbox;
  submitter: AccountGroups<NewRequest, Submission>;
  /** Ends slots, and requests without a waiting caller or a worker. */
  ender: AccountGroups<EndingRequest, boolean>;
  refusePaused: RefusePaused;
  close(): Promise<void>;
}

export async function openInteractive(
  services: Pick<Services, 'db' | 'queue' | 'log'>,
  options: InboxOptions = {},
): Promise<Interactive> {
  const ender = createEnder(services);
  const answers = await openAnswerInbox(services, ender, options);
  return {
    answers,
    submitter: createSubmitter(services, answers.instanceId),
    ender,
    refusePaused: createPauseCheck(services.db),
    close: () => answers.close(),
  };
}
