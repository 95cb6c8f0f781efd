export * from './cron-account.ts';
export * from './submit-services.ts';
export * from './submit-test-run.ts';
export * from './test-services.ts';
