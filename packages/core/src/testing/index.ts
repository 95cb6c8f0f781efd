export * from './submit-test-run.ts';
export * from './test-services.ts';
