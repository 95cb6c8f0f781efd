/** A test as CI shows it. */
export interface JunitCase {
  /** The file under test. */
  suite: string;
  name: string;
  seconds: number;
  /** One line per fault; none when it passed. */
  faults: readonly string[];
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for XML 1.0, which has no place for most control characters and for halves of surrogate pairs. */
function escape(text: string): string {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const isAllowed =
      code >= 0x20 ? !/[\uD800-\uDFFF\uFFFE\uFFFF]/u.test(character) : /[\t\n\r]/.test(character);
    return isAllowed ? (ENTITIES[character] ?? character) : '\uFFFD';
  }).join('');
}

function caseOf({ suite, name, seconds, faults }: JunitCase): string {
  const head = `    <testcase classname="${escape(suite)}" name="${escape(name)}" time="${seconds.toFixed(3)}"`;
  if (faults.length === 0) return `${head}/>`;
  const message = escape(faults[0] ?? '');
  return `${head}>\n      <failure message="${message}">${escape(faults.join('\n'))}</failure>\n    </testcase>`;
}

function counts(cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ faults }) => faults.length > 0).length;
  const seconds = cases.reduce((sum, one) => sum + one.seconds, 0);
  return `tests="${cases.length}" failures="${failures}" errors="0" time="${seconds.toFixed(3)}"`;
}

/** JUnit's XML, as GitLab, Jenkins and others read it. */
export function toJunit(cases: readonly JunitCase[]): string {
  const suites = [...Map.groupBy(cases, ({ suite }) => suite)].map(([suite, own]) =>
    [`  <testsuite name="${escape(suite)}" ${counts(own)}>`, ...own.map(caseOf), '  </testsuite>'].join('\n'),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="gleaner parsers" ${counts(cases)}>`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}
