import { defineConfig } from 'vite';

/** `npm run dev -w apps/dashboard` serves the sources beside a service that runs on port 3000. */
const SERVICE = 'http://127.0.0.1:3000';

export default defineConfig({
  build: {
    target: 'es2024',
    assetsDir: 'assets',
    // Hashed names are kept for a year; small files inside others could not be.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    // Marks of server components, there are none here.
    rolldownOptions: { checks: { moduleLevelDirective: false, pluginTimings: false } },
  },
  worker: { format: 'es' },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/session', '/admin', '/docs', '/openapi.json'].map((path) => [path, { target: SERVICE }]),
    ),
  },
});
