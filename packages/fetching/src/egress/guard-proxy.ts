import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { Socket } from 'node:net';
import { AppError } from '@gleaner/contracts';
import { LRUCache } from 'lru-cache';
import { RequestError, Server } from 'proxy-chain';
import { canonicalHost, type EgressGuard, type PinnedAddress } from './index.ts';
import { asDnsLookup, createPinnedLookup } from './guarded-connector.ts';

/** Credentials for the guard's proxy, for one client or one upstream proxy and session. */
export interface ProxyRoute {
  /** `http://user:password@127.0.0.1:port`, for clients that take one URL. */
  readonly url: string;
  readonly server: string;
  readonly username: string;
  readonly password: string;
  /** Why this route refused its last connection to `host:port`; `undefined` if it was allowed. */
  refusalOf(host: string, port: number): AppError | undefined;
  /** Bytes received over this route. */
  receivedBytes(): number;
  /** Closes the route's connections to one target, also those in use. */
  closeConnectionsTo(host: string, port: number): void;
  /** Closes the route's connections and refuses new ones. */
  close(): void;
}

export interface GuardProxy {
  openRoute(options?: { upstreamProxyUrl?: string }): ProxyRoute;
  stats(): { routes: number; connections: number };
  close(): Promise<void>;
}

interface RouteState {
  upstreamProxyUrl: string | undefined;
  refusals: LRUCache<string, AppError>;
  receivedBytes: number;
  /** The target of each open connection, as `host:port`. */
  connections: Map<number, string>;
}

/** The status of a refused connection, in the range that proxy-chain uses for its own failures. */
const REFUSED_STATUS = 591;
const MAX_REFUSALS = 100;

function hostPortOf(host: string, port: number): string {
  return `${canonicalHost(host)}:${port}`;
}

/** Whether a status comes from the guard's proxy. No site uses this range. */
export function isProxyFailure(status: number): boolean {
  return status >= 590 && status <= 599;
}

/** Removes a header that is meant for the proxy and would reveal it to the target. */
function dropProxyHeaders(rawHeaders: string[]): void {
  for (let at = rawHeaders.length - 2; at >= 0; at -= 2) {
    if (/^proxy-connection$/i.test(rawHeaders[at] ?? '')) rawHeaders.splice(at, 2);
  }
}

/**
 * Closes a tunnel's target socket together with its client socket. proxy-chain only half-closes the target's side and
 * waits, while a target may keep the connection open or go on sending.
 */
function endTargetWith(client: Socket): void {
  client.on('pipe', (target) => {
    if (!(target instanceof Socket)) return;
    // The client left while an upstream proxy was connecting.
    if (client.destroyed) target.destroy();
    client.once('end', () => target.destroySoon());
    client.once('close', () => target.destroy());
  });
}

/** The registered route with the counts of its open connections, as its holder sees it. */
function toProxyRoute(server: Server, { credentials, state, forget }: RouteParts): ProxyRoute {
  const [username = '', password = ''] = credentials;
  return {
    url: `http://${username}:${password}@127.0.0.1:${server.port}`,
    server: `http://127.0.0.1:${server.port}`,
    username,
    password,
    refusalOf: (host, port) => state.refusals.get(hostPortOf(host, port)),
    receivedBytes: () =>
      [...state.connections.keys()].reduce(
        (bytes, connection) => bytes + (server.getConnectionStats(connection)?.trgRxBytes ?? 0),
        state.receivedBytes,
      ),
    closeConnectionsTo: (host, port) => {
      for (const [connection, target] of state.connections) {
        if (target === hostPortOf(host, port)) server.closeConnection(connection);
      }
    },
    close: () => {
      forget();
      for (const connection of state.connections.keys()) server.closeConnection(connection);
    },
  };
}

interface RouteParts {
  /** User name and password. */
  credentials: readonly string[];
  state: RouteState;
  /** Refuses new connections of the route. */
  forget(): void;
}

/** The guard's decision about a connection, kept with its route. @throws RequestError, which the client is answered */
async function decideFor(
  route: RouteState,
  guard: EgressGuard,
  { hostname, port }: { hostname: string; port: number },
): Promise<readonly PinnedAddress[]> {
  const target = hostPortOf(hostname, port);
  try {
    const addresses = await guard.decide(hostname, port);
    route.refusals.delete(target);
    return addresses;
  } catch (error) {
    const refusal = error instanceof AppError ? error : new AppError('fetch_failed', { cause: error });
    route.refusals.set(target, refusal);
    throw new RequestError('target not allowed', REFUSED_STATUS);
  }
}

/**
 * Applies the guard to clients that open their own connections (impit, Chromium): a proxy on loopback. Each route has
 * random credentials, so that no other process of the machine can use it. A refusal is an HTTP response, because a
 * client that only sees its tunnel close retries forever.
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
      route.connections.set(connectionId, hostPortOf(hostname, port));
      routeOfConnection.set(connectionId, route);
      const addresses = await decideFor(route, guard, { hostname, port });
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
      const credentials = [randomBytes(9), randomBytes(18)].map((bytes) => bytes.toString('base64url'));
      const key = credentials.join(':');
      const state: RouteState = {
        upstreamProxyUrl,
        refusals: new LRUCache({ max: MAX_REFUSALS }),
        receivedBytes: 0,
        connections: new Map(),
      };
      routes.set(key, state);
      return toProxyRoute(server, { credentials, state, forget: () => void routes.delete(key) });
    },
    stats: () => ({ routes: routes.size, connections: server.connections.size }),
    close: async () => {
      await server.close(true);
      agent.destroy();
    },
  };
}
