import { createServer } from 'node:net';
import { Fault } from '../fault.ts';

/**
 * Checks that the API can listen, before anything starts.
 * @returns the port: the given one, or a free one for 0
 */
export function claimAddress(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => reject(addressFault(host, port, error)));
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => {
        resolve(address !== null && typeof address === 'object' ? address.port : port);
      });
    });
  });
}

function addressFault(host: string, port: number, error: NodeJS.ErrnoException): Fault {
  if (error.code === 'EADDRINUSE') {
    return new Fault(
      `Port ${port} on ${host} is in use by another program.`,
      `Choose another one: PORT=${port < 65_535 ? port + 1 : 3001} npm start`,
    );
  }
  if (error.code === 'EACCES') {
    return new Fault(
      `This user may not listen on port ${port}.`,
      'Choose a port above 1023: PORT=3000 npm start',
    );
  }
  return new Fault(
    `Can't listen on HOST ${host} (${error.code ?? error.message}): it is not an address of this machine.`,
    'Use HOST=127.0.0.1 for this machine alone, or HOST=0.0.0.0 for all its addresses.',
  );
}

/** The URL by which this machine reaches a service that listens on `host`. */
export function localUrl(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
