import { orNamePort } from './port-in-use.ts';
import { startSite } from './start-site.ts';

const DEFAULT_PORT = 4711;

const port = Number(process.env['PORT'] ?? DEFAULT_PORT);
const site = await orNamePort(startSite({ port }), port, 'site:test');
console.log(`The site of the tests: ${site.url}/shop?page=1&pages=4

Start Gleaner with GLEANER_EGRESS_ALLOW=${new URL(site.url).host}, so that it may fetch from this machine.
Ctrl-C ends it.`);

function stop(): void {
  void site.close().then(() => process.exit(0));
}
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
