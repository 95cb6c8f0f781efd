import { createBoardRuns, listLiveWorkers } from '@gleaner/core';
import { QUEUES, type QueueName } from '@gleaner/queue';
import type { FastifyInstance } from 'fastify';
import { registerLateRoutes } from '../http/late-routes.ts';
import type { ApiServices } from '../services.ts';
import { guardOperator } from './operator-guard.ts';
import { showRuns } from './runs-queue.ts';

type AdminServices = Pick<ApiServices, 'queue' | 'db' | 'log' | 'rateLimiter'> & {
  config: Pick<ApiServices['config'], 'operatorPassword'>;
};

const PATH = '/admin/queues';

const DARK = {
  primary: '#e0af4b',
  'primary-foreground': '#1b1d21',
  ring: '#e0af4b',
  'font-sans': 'system-ui, sans-serif',
  'font-mono': 'ui-monospace, monospace',
};

/** Our name, colours and fonts, and a way back. */
const UI = {
  boardTitle: 'Gleaner',
  boardLogo: { path: '/icon.svg', width: 24, height: 24 },
  favIcon: { default: '/icon.svg', alternative: '/icon.svg' },
  miscLinks: [
    { text: 'Back to Gleaner', url: '/operator' },
    { text: 'Pause and resume queues', url: '/operator?tab=health' },
  ],
  hideDocsLink: true,
  theme: {
    light: { ...DARK, primary: '#7d540d', 'primary-foreground': '#ffffff', ring: '#7d540d' },
    dark: DARK,
  },
};

/** The board's page asks another site for its font. */
const FONT_LINK = /<link[^>]*fonts\.googleapis\.com[^>]*>/g;

/** Builds the board, whose packages take 6 MB. */
async function registerBoard(app: FastifyInstance, { queue, db }: AdminServices): Promise<void> {
  const [{ createBullBoard }, { BullMQAdapter }, { FastifyAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/fastify'),
  ]);
  const adapter = new FastifyAdapter();
  adapter.setBasePath(PATH);
  // BullMQ finds workers by the names of Redis connections, which Postgres lacks: the heartbeats know them on both.
  // Schedulers have no engine, and consume the queue of the crons.
  const findWorkers = async (name: QueueName) =>
    (await listLiveWorkers(db))
      .filter(({ engines }) =>
        name === 'crons' ? engines.length === 0 : engines.some((engine) => name.endsWith(`-${engine}`)),
      )
      .map(({ id, host, pid, age }) => ({ id, name: `${host} ${pid}`, addr: host, age }));
  const adapterOf = (name: QueueName, description = '') =>
    new BullMQAdapter(queue.queue(name), { readOnlyMode: true, description });
  // Runs are no jobs of BullMQ: this adapter keeps of its queue only what it says of the server.
  const runs = adapterOf(
    'crons',
    'Jobs, batches, workflow runs, their stages, and crawls, for a day after their end.',
  );
  createBullBoard({
    queues: [
      Object.assign(runs, showRuns(createBoardRuns(db))),
      ...QUEUES.map((name) => Object.assign(adapterOf(name), { getWorkers: () => findWorkers(name) })),
    ],
    serverAdapter: adapter,
    options: { uiConfig: UI },
  });
  app.addHook('onSend', async (_request, reply, payload) =>
    typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html')
      ? payload.replaceAll(FONT_LINK, '')
      : payload,
  );
  await app.register(adapter.registerPlugin(), { prefix: PATH });
}

/** Bull Board at /admin/queues, behind the operator's password. It only shows: Postgres decides about work. */
export async function registerAdmin(app: FastifyInstance, services: AdminServices): Promise<void> {
  const password = services.config.operatorPassword;
  if (password === undefined) {
    services.log.warn({}, 'GLEANER_OPERATOR_PASSWORD is not set: /admin is closed');
    return;
  }
  await app.register(async (scope) => {
    guardOperator(scope, { password, rateLimiter: services.rateLimiter, db: services.db });
    registerLateRoutes(scope, [PATH, `${PATH}/*`], (board) => registerBoard(board, services));
  });
}
