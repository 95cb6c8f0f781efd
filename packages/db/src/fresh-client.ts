import type postgres from 'postgres';
import { errorCodeOf } from './error-codes.ts';

/**
 * After one of these the inner state of a connection may be wrong: see `withFreshClients`. 25006: the server became a
 * standby (a failover) and refuses writes, so only a new connection can reach the new primary. 25P04: `transaction_timeout`
 * ended the session.
 */
const LOST = /^(?:CONNECTION_CLOSED|CONNECT_TIMEOUT|ECONNRESET|EPIPE|57P0[12]|25006|25P04)$/;
/** What waits in a client that is replaced may still begin for so long. */
const BEGIN_WITHIN_MS = 500;
/** What runs there may end for so long; then it fails. */
const DRAIN_SECONDS = 15;

/**
 * A client of postgres.js that is replaced by a new one when it loses a connection under a statement. postgres.js 3.4.9
 * keeps the state of such a connection when it connects again: unsent bytes, an earlier error, or the rollback of a
 * transaction that waits for an answer (its issues 1133, 1186 and 1208). Later statements on it fail after five seconds
 * each, or never end. A client that is replaced gets no statement any more, and all that it has ends within seconds.
 * @param open makes a client; it connects on first use
 */
export function withFreshClients(open: () => postgres.Sql): postgres.Sql {
  let current = open();
  let isEnded = false;

  const replace = (client: postgres.Sql): void => {
    if (client !== current || isEnded) return;
    current = open();
    // Drizzle turns off conversions by changing these options of the client that it gets.
    Object.assign(current.options.parsers, client.options.parsers);
    Object.assign(current.options.serializers, client.options.serializers);
    setTimeout(() => {
      client.end({ timeout: DRAIN_SECONDS }).catch(() => undefined);
    }, BEGIN_WITHIN_MS).unref();
  };
  const watch = (client: postgres.Sql, result: unknown): unknown => {
    // A query begins with its own `then`; that of Promise only listens.
    if (result instanceof Promise) {
      void Promise.prototype.then.call(result, undefined, (error: unknown) => {
        if (LOST.test(errorCodeOf(error))) replace(client);
      });
    }
    return result;
  };

  return new Proxy(current, {
    apply: (_target, self, args: unknown[]) => {
      const client = current;
      return watch(client, Reflect.apply(client as unknown as () => unknown, self, args));
    },
    get: (_target, name) => {
      const client = current;
      const value: unknown = Reflect.get(client, name);
      if (name === 'end') {
        return (...args: unknown[]) => {
          isEnded = true;
          return Reflect.apply(value as () => unknown, client, args);
        };
      }
      if (name !== 'unsafe' && name !== 'begin') return value;
      return (...args: unknown[]) => watch(client, Reflect.apply(value as () => unknown, client, args));
    },
  });
}
