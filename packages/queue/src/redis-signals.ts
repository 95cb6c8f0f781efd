import type { Redis } from 'ioredis';
import type { Log } from './backend.ts';
import { createSender, type Signals } from './signals.ts';

/** Redis ends the connection of a subscriber that is 32 MB behind. */
const MAX_CHARACTERS = 1_000_000;

/**
 * Signals by Redis's PUBLISH: only our own processes reach Redis.
 * @param openSubscriber makes the connection that listens, when it is first needed
 */
export function createRedisSignals(producer: Redis, openSubscriber: () => Redis, log: Log): Signals {
  const handlers = new Map<string, (message: string) => void>();
  let subscriber: Redis | undefined;
  const open = (): Redis => {
    const redis = openSubscriber();
    redis.on('message', (channel: string, text: string) => {
      const onMessage = handlers.get(channel);
      if (onMessage) for (const message of text.split('\n')) onMessage(message);
    });
    return redis;
  };
  return {
    areTrusted: true,
    send: createSender({
      maxCharacters: MAX_CHARACTERS,
      transmit: (parcels) => Promise.all(parcels.map(({ channel, text }) => producer.publish(channel, text))),
      onError: (error) => log.warn({ err: error }, 'notices were not sent'),
    }),
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
