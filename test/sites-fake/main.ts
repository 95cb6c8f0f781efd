import { orNamePort } from '../system/port-in-use.ts';
import { startSitesFake } from './start-sites-fake.ts';

const DEFAULT_PORT = 4701;

const port = Number(process.env['PORT'] ?? DEFAULT_PORT);
const fake = await orNamePort(startSitesFake({ port }), port, 'sites:fake');
console.log('The five sites, faked. Start Gleaner with these settings:\n');
for (const [name, value] of Object.entries(fake.env)) console.log(`${name}=${value}`);
console.log(
  '\nCtrl-C ends it. docs/use/prebuilt.md names the users, channels, queries and ids that it knows.',
);

function stop(): void {
  void fake.close().then(() => process.exit(0));
}
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
