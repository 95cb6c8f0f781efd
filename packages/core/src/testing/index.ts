export * from './cron-account.ts';
export * from './open-session.ts';
export * from './submit-services.ts';
export * from './submit-test-request.ts';
export * from './submit-test-run.ts';
export * from './sweep-chunks.ts';
export * from './test-services.ts';
export { callOnce, openTestDoor, refusalOf, valueOf } from '../operations/testing/test-calls.ts';
export { createRandom } from '../runs/stages/testing/crawl-model.ts';
