import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Starts first what takes longest, so that nothing long runs alone at the end: tests of whole processes, then those
 * with a database, then the rest.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { root } = this.ctx.config;
    return sorted.toSorted((a, b) => rankOf(root, a) - rankOf(root, b));
  }
}

function rankOf(root: string, { moduleId }: TestSpecification): number {
  if (!moduleId.endsWith('.db.test.ts')) return 2;
  return moduleId.startsWith(`${root}/test/`) ? 0 : 1;
}
