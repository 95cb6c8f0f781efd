import type { Redis } from 'ioredis';
import type { Log } from './backend.ts';
import { createSender, type Signals } from './signals.ts';

/**
 * Signals by Redis's PUBLISH: only our own processes reach Redis.
 * @param openSubscriber makes the connection that listens, when it is first needed
 */
export function createRedisSignals(producer: Redis, openSubscriber: () => Redis, log: Log): Signals {
  const handlers = new Map<string, (message: string) => void>();
  let subscriber: Redis | undefined;
  const open = (): Redis => {
    const redis = openSubscriber();
    redis.on('message', (channel: string, message: string) => handlers.get(channel)?.(message));
    return redis;
  };
  return {
    areTrusted: true,
    send: createSender(
      (messages) => Promise.all(messages.map(({ channel, message }) => producer.publish(channel, message))),
      (error) => log.warn({ err: error }, 'notices were not sent'),
    ),
    listen: async (channel, onMessage) => {
      subscriber ??= open();
      const redis = subscriber;
      handlers.set(channel, onMessage);
      await redis.subscribe(channel);
      return {
        close: async () => {
          handlers.delete(channel);
          await redis.unsubscribe(channel).catch(() => undefined);
        },
      };
    },
  };
}
