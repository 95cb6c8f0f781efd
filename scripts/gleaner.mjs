#!/usr/bin/env node
// `gleaner` for a PATH (`npm link`): the same as `npm run -s gleaner --`, in the folder where it is called.
process.argv.splice(2, 0, 'gleaner');
await import('./run.mjs');
