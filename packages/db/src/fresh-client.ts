import type postgres from 'postgres';
import { errorCodeOf } from './error-codes.ts';
import { createSilenceWatch, type SilenceWatchOptions } from './silence-watch.ts';

/**
 * After one of these the inner state of a connection may be wrong: see `withFreshClients`. 25006: the server became a
 * standby (a failover) and refuses writes, so only a new connection can reach the new primary. 25P04: `transaction_timeout`
 * ended the session.
 */
const LOST = /^(?:CONNECTION_CLOSED|CONNECT_TIMEOUT|ECONNRESET|EPIPE|57P0[12]|25006|25P04)$/;
/** What waits in a client that is replaced may still begin for so long. */
const BEGIN_WITHIN_MS = 500;
/** What runs there may end for so long; then it fails. Less when nothing connects any more, and not at all in silence. */
const DRAIN_SECONDS = 15;
const UNREACHABLE_DRAIN_SECONDS = 5;

/**
 * A client of postgres.js that is replaced by a new one when it loses a connection under a statement. postgres.js 3.4.9
 * keeps the state of such a connection when it connects again: unsent bytes, an earlier error, or the rollback of a
 * transaction that waits for an answer (its issues 1133, 1186 and 1208). Later statements on it fail after five seconds
 * each, or never end. A client that is replaced gets no statement any more, and all that it has ends within seconds.
 * @param open makes a client; it connects on first use
 * @param silence how the server is asked over another connection. With it, the client is also replaced when it is silent
 */
export function withFreshClients(
  open: () => postgres.Sql,
  silence?: Pick<SilenceWatchOptions, 'probe' | 'patienceMs'>,
): postgres.Sql {
  let current = open();
  let isEnded = false;

  const replace = (client: postgres.Sql, drainSeconds: number): void => {
    if (client !== current || isEnded) return;
    current = open();
    // Drizzle turns off conversions by changing these options of the client that it gets.
    Object.assign(current.options.parsers, client.options.parsers);
    Object.assign(current.options.serializers, client.options.serializers);
    setTimeout(
      () => {
        client.end({ timeout: drainSeconds }).catch(() => undefined);
      },
      drainSeconds === 0 ? 0 : BEGIN_WITHIN_MS,
    ).unref();
  };
  let asked = current;
  const silenceWatch =
    silence &&
    createSilenceWatch({
      ...silence,
      ask: () => {
        asked = current;
        return isEnded ? Promise.resolve() : asked`SELECT 1`;
      },
      end: () => replace(asked, 0),
    });
  const watch = (client: postgres.Sql, result: unknown): unknown => {
    // A query begins with its own `then`; that of Promise only listens.
    if (result instanceof Promise) {
      void Promise.prototype.then.call(result, silenceWatch?.noteAnswer, (error: unknown) => {
        silenceWatch?.noteAnswer();
        const code = errorCodeOf(error);
        const isUnreachable = code === 'CONNECT_TIMEOUT';
        if (LOST.test(code)) replace(client, isUnreachable ? UNREACHABLE_DRAIN_SECONDS : DRAIN_SECONDS);
      });
    }
    return result;
  };

  return new Proxy(current, {
    apply: (_target, self, args: unknown[]) => {
      silenceWatch?.noteSent();
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
      silenceWatch?.noteSent();
      return (...args: unknown[]) => watch(client, Reflect.apply(value as () => unknown, client, args));
    },
  });
}
