export * from './submit-services.ts';
export * from './submit-test-request.ts';
export * from './submit-test-run.ts';
export * from './test-services.ts';
