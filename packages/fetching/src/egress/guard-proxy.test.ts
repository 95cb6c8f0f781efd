import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { createEgressGuard, parseEgressAllow, type ResolveHost } from './index.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { createGuardProxy, type GuardProxy, type ProxyRoute } from './guard-proxy.ts';

const ends: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A target that never closes a connection first. */
async function startTarget(): Promise<{ port: number; arrived: Socket[] }> {
  const arrived: Socket[] = [];
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined).resume();
    arrived.push(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ends.push(() => {
    for (const socket of arrived) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, arrived };
}

async function startProxy(resolve?: ResolveHost): Promise<GuardProxy> {
  const guard = createEgressGuard({
    allow: parseEgressAllow('127.0.0.1/32'),
    ...(resolve === undefined ? {} : { resolve }),
  });
  const proxy = await createGuardProxy(guard);
  ends.push(() => proxy.close());
  return proxy;
}

/** Requests a tunnel, without waiting for it. */
async function askForTunnel(route: ProxyRoute, host: string): Promise<Socket> {
  const socket = net.connect(Number(new URL(route.server).port), '127.0.0.1');
  socket.on('error', () => undefined);
  ends.push(() => void socket.destroy());
  await once(socket, 'connect');
  const credentials = Buffer.from(`${route.username}:${route.password}`).toString('base64');
  socket.write(
    `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\nProxy-Authorization: Basic ${credentials}\r\n\r\n`,
  );
  return socket;
}

describe('a tunnel', () => {
  it.each(['client', 'route'])('ends at the target as well when its %s ends', async (which) => {
    const target = await startTarget();
    const route = (await startProxy()).openRoute();
    const client = await askForTunnel(route, `127.0.0.1:${target.port}`);
    await once(client, 'data');
    if (which === 'client') client.destroy();
    else route.close();
    // A write is answered with a reset when nobody holds the other end.
    await expect
      .poll(() => {
        target.arrived[0]?.write('more');
        return target.arrived[0]?.destroyed;
      })
      .toBe(true);
  });

  it('ends when its client ends it, also while the target says nothing', async () => {
    const target = await startTarget();
    const proxy = await startProxy();
    const client = await askForTunnel(proxy.openRoute(), `127.0.0.1:${target.port}`);
    await once(client, 'data');
    client.end();
    await expect.poll(() => proxy.stats().connections).toBe(0);
  });

  it('is not made when its route ended while the name was resolved', async () => {
    const target = await startTarget();
    const { promise: resolved, resolve } = Promise.withResolvers<readonly string[]>();
    let asked = 0;
    const proxy = await startProxy((host) => {
      asked += 1;
      return host === 'slow.example.com' ? resolved : Promise.resolve(['127.0.0.1']);
    });
    const route = proxy.openRoute();
    await askForTunnel(route, `slow.example.com:${target.port}`);
    await expect.poll(() => asked).toBe(1);
    route.close();
    await expect.poll(() => proxy.stats().connections).toBe(0);
    resolve(['127.0.0.1']);
    const other = await askForTunnel(proxy.openRoute(), `quick.example.com:${target.port}`);
    await once(other, 'data');
    expect(target.arrived).toHaveLength(1);
  });

  it('ends when its route ended while an upstream proxy was connecting', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<Socket>();
    // The part of SOCKS5 (RFC 1928) that the test needs: no password, and any address.
    const socks = net.createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write(Buffer.from([5, 0]));
        socket.once('data', () => arrive(socket));
      });
    });
    await once(socks.listen(0, '127.0.0.1'), 'listening');
    ends.push(() => void socks.close());
    const { port } = socks.address() as AddressInfo;
    const proxy = await startProxy();
    const route = proxy.openRoute({ upstreamProxyUrl: `socks5://127.0.0.1:${port}` });
    await askForTunnel(route, '127.0.0.1:8080');
    const socket = await arrived;
    ends.push(() => void socket.destroy());
    route.close();
    await expect.poll(() => proxy.stats().connections).toBe(0);
    socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
    await expect
      .poll(() => {
        socket.write('more');
        return socket.destroyed;
      })
      .toBe(true);
  });
});
