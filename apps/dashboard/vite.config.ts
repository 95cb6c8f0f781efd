import { CONTRACTS_MODULE, contractsAsConstants } from '@gleaner/client/constants';
import { defineConfig, type Plugin } from 'vite';

/** `npm run dev -w apps/dashboard` serves the sources beside a service that runs on port 3000. */
const SERVICE = 'http://127.0.0.1:3000';

/** Parts that only pages with forms load. */
const FORMS =
  /\/(node_modules\/(@mantine\/(form|core\/esm\/components\/NumberInput)|react-number-format)|src\/targets\/new-database)\b/;

/** What only pages of rows load. */
const DRAWER = /\/(parts\/record-drawer|components\/Drawer\/)/;

/**
 * Few files instead of one for each module that pages share: a browser loads six at a time over HTTP/1.1, and requests
 * for data would wait behind them.
 */
const GROUPS = [
  {
    name: 'start',
    test: /\/src\/(main|app\/app|pages\/sign-in)\.tsx$/,
    priority: 3,
  },
  // The API announces this one in a header: apps/api/src/dashboard/register-dashboard.ts.
  { name: 'frame', test: /\/src\/(app\/frame|parsers\/parsers-page)\.tsx$/, priority: 2 },
  {
    name: 'shared',
    test: (id: string) =>
      /\/(node_modules\/(@mantine|@tanstack|lucide-react)|dashboard\/src\/(api|format|parts|targets))\//.test(
        id,
      ) &&
      !FORMS.test(id) &&
      !DRAWER.test(id),
    minShareCount: 2,
    priority: 1,
  },
  // Forms of runs have these without the studio, which has them too.
  { name: 'fetching', test: /\/dashboard\/src\/fetching\//, minShareCount: 2, priority: 1 },
  // The studio, the samples and the page that is tried share these.
  { name: 'studio', test: /\/dashboard\/src\/studio\//, minShareCount: 2, priority: 0 },
  { name: 'forms', test: FORMS, priority: 0 },
  { name: 'drawer', test: DRAWER, priority: 0 },
];

/** The client brings no schema: it gets the values that it needs of the contracts. */
const contractsOfClient: Plugin = {
  name: 'contracts-of-client',
  load: { filter: { id: CONTRACTS_MODULE }, handler: contractsAsConstants },
};

export default defineConfig({
  plugins: [contractsOfClient],
  build: {
    target: 'es2024',
    assetsDir: 'assets',
    // Hashed names are kept for a year; small files inside others could not be.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    // Marks of server components, there are none here.
    rolldownOptions: {
      checks: { moduleLevelDirective: false, pluginTimings: false },
      output: { codeSplitting: { groups: GROUPS } },
    },
  },
  worker: { format: 'es' },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/session', '/admin', '/docs', '/openapi.json'].map((path) => [path, { target: SERVICE }]),
    ),
  },
});
