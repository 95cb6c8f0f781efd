import type { CallOutput } from '../api/call.ts';
import { formatNumber, plural } from '../format/number.ts';

export type DryRun = Extract<CallOutput<'createBatch'>, { dry_run: true }>;

/** The tasks and the price of a batch before it starts. */
export function DryRunNote({ answer }: { answer: DryRun }) {
  return (
    <div className="stack tight">
      <p className="soft">
        {plural(answer.inputs, 'page')} would run
        {answer.duplicates > 0 && `, ${formatNumber(answer.duplicates)} duplicates left out`}
        {answer.refused_count > 0 && `, ${formatNumber(answer.refused_count)} refused`}. Expected{' '}
        {plural(answer.credits.expected, 'credit')}, at most {formatNumber(answer.credits.most)}; failures
        cost nothing.
      </p>
      {answer.refused.length > 0 && (
        <details>
          <summary className="small">Show the refused inputs</summary>
          <ul className="small">
            {answer.refused.slice(0, 20).map(({ index, input, detail }) => (
              <li key={index}>
                {formatNumber(index + 1)}: <code>{input}</code> {detail}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
