import Fastify, { type FastifyInstance } from 'fastify';

/** Headers of one connection, which are not passed on from one answer to another. */
const HOP_HEADERS = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding']);

/**
 * Serves paths by a plugin that few requests need. The first request loads it, so that an idle process does without
 * its memory. The hooks of `scope`, such as its authentication, run before.
 * @param paths patterns of GET routes, from the server's root
 * @param build registers the plugin with a server of its own
 */
export function registerLateRoutes(
  scope: FastifyInstance,
  paths: readonly string[],
  build: (app: FastifyInstance) => Promise<void>,
): void {
  let opened: Promise<FastifyInstance> | undefined;
  const open = async (): Promise<FastifyInstance> => {
    const app = Fastify();
    await build(app);
    await app.ready();
    return app;
  };
  scope.addHook('onClose', async () => {
    const app = await opened?.catch(() => undefined);
    await app?.close();
  });
  for (const path of paths) {
    scope.get(path, async (request, reply) => {
      opened ??= open();
      const app = await opened.catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      const { method, url, headers } = request;
      const answer = await app.inject({ method: method === 'HEAD' ? 'HEAD' : 'GET', url, headers });
      for (const [name, value] of Object.entries(answer.headers)) {
        if (value !== undefined && !HOP_HEADERS.has(name)) reply.header(name, value);
      }
      return reply.code(answer.statusCode).send(answer.rawPayload);
    });
  }
}
