export { createTestFetcher, type TestFetcher } from './test-fetcher.ts';
export { sendPage, startTestSite, type RequestHandler, type TestSite } from './test-site.ts';
export { launchChromium, type Browser, type BrowserContext, type Page } from './launch-chromium.ts';
