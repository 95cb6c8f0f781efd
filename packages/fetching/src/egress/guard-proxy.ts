import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { Socket } from 'node:net';
import { AppError } from '@gleaner/contracts';
import { RequestError, Server } from 'proxy-chain';
import { canonicalHost, type EgressGuard, type PinnedAddress } from './index.ts';
import { asDnsLookup, createPinnedLookup } from './pinned-lookup.ts';

/** A way through the proxy with its own credentials, for one client or one upstream proxy and session. */
export interface ProxyRoute {
  /** `http://user:password@127.0.0.1:port`, for clients that take one URL. */
  readonly url: string;
  readonly server: string;
  readonly username: string;
  readonly password: string;
  /** Why this route did not let the last connection to a place through; `undefined` if it did. */
  refusalOf(host: string, port: number): AppError | undefined;
  /** Bytes that came in over this route. */
  receivedBytes(): number;
  /** Ends the route: its open connections are cut, new ones refused. */
  close(): void;
}

export interface GuardProxy {
  openRoute(options?: { upstreamProxyUrl?: string }): ProxyRoute;
  stats(): { routes: number; connections: number };
  close(): Promise<void>;
}

interface RouteState {
  upstreamProxyUrl: string | undefined;
  refusals: Map<string, AppError>;
  receivedBytes: number;
  connections: Set<number>;
}

/** Answered instead of a connection; of the range in which proxy-chain reports its own failures. */
const REFUSED_STATUS = 591;
const MAX_REFUSALS = 100;

function hostPortOf(host: string, port: number): string {
  return `${canonicalHost(host)}:${port}`;
}

/** Whether a status comes from the guard's proxy and not from a target: no site uses this range. */
export function isProxyFailure(status: number): boolean {
  return status >= 590 && status <= 599;
}

/** What a client says to its proxy is not for the target, and would tell that there is one. */
function dropProxyHeaders(rawHeaders: string[]): void {
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    if (/^proxy-connection$/i.test(rawHeaders[at] ?? '')) rawHeaders.splice(at, 2);
  }
}

/**
 * Ends a tunnel's connection to the target with its client's: proxy-chain sends the target an end of its own and waits for
 * the answer, which a target may withhold for ever, or go on sending.
 */
function endTargetWith(client: Socket): void {
  client.on('pipe', (target) => {
    if (!(target instanceof Socket)) return;
    // It left while an upstream proxy was connecting.
    if (client.destroyed) target.destroy();
    client.once('end', () => target.destroySoon());
    client.once('close', () => target.destroy());
  });
}

/**
 * The guard's second door: a proxy on loopback for clients that open their own connections (impit, Chromium).
 * Each route has random credentials, so no other process of the machine can use it. The decision is made before
 * anything connects: a client that only sees its tunnel die tries again for ever, one that gets 403 stops.
 */
export async function createGuardProxy(guard: EgressGuard): Promise<GuardProxy> {
  const routes = new Map<string, RouteState>();
  const routeOfConnection = new Map<number, RouteState>();
  const agent = new http.Agent({ keepAlive: false });

  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    authRealm: 'proxy',
    prepareRequestFunction: async ({ request, username, password, hostname, port, connectionId }) => {
      dropProxyHeaders(request.rawHeaders);
      const route = routes.get(`${username}:${password}`);
      if (route === undefined) return { requestAuthentication: true, failMsg: 'credentials required' };
      if (!route.connections.has(connectionId)) endTargetWith(request.socket);
      route.connections.add(connectionId);
      routeOfConnection.set(connectionId, route);
      let addresses: readonly PinnedAddress[];
      try {
        addresses = await guard.decide(hostname, port);
      } catch (error) {
        if (route.refusals.size >= MAX_REFUSALS) route.refusals.clear();
        const refusal = error instanceof AppError ? error : new AppError('fetch_failed', { cause: error });
        route.refusals.set(hostPortOf(hostname, port), refusal);
        throw new RequestError('target not allowed', REFUSED_STATUS);
      }
      route.refusals.delete(hostPortOf(hostname, port));
      if (request.socket.destroyed) throw new RequestError('the client has left', REFUSED_STATUS);
      if (route.upstreamProxyUrl !== undefined) return { upstreamProxyUrl: route.upstreamProxyUrl };
      return { dnsLookup: asDnsLookup(createPinnedLookup(addresses)), httpAgent: agent };
    },
  });
  server.on(
    'connectionClosed',
    ({ connectionId, stats }: { connectionId: number; stats?: { trgRxBytes: number | null } }) => {
      const route = routeOfConnection.get(connectionId);
      routeOfConnection.delete(connectionId);
      if (route === undefined) return;
      route.connections.delete(connectionId);
      route.receivedBytes += stats?.trgRxBytes ?? 0;
    },
  );
  // A failed request is answered to its client; without a listener the event would end the process.
  server.on('requestFailed', () => undefined);
  await server.listen();

  return {
    openRoute: ({ upstreamProxyUrl } = {}) => {
      const username = randomBytes(9).toString('base64url');
      const password = randomBytes(18).toString('base64url');
      const state: RouteState = {
        upstreamProxyUrl,
        refusals: new Map(),
        receivedBytes: 0,
        connections: new Set(),
      };
      routes.set(`${username}:${password}`, state);
      return {
        url: `http://${username}:${password}@127.0.0.1:${server.port}`,
        server: `http://127.0.0.1:${server.port}`,
        username,
        password,
        refusalOf: (host, port) => state.refusals.get(hostPortOf(host, port)),
        receivedBytes: () => {
          let bytes = state.receivedBytes;
          for (const connection of state.connections) {
            bytes += server.getConnectionStats(connection)?.trgRxBytes ?? 0;
          }
          return bytes;
        },
        close: () => {
          routes.delete(`${username}:${password}`);
          for (const connection of state.connections) server.closeConnection(connection);
        },
      };
    },
    stats: () => ({ routes: routes.size, connections: server.connections.size }),
    close: async () => {
      await server.close(true);
      agent.destroy();
    },
  };
}
