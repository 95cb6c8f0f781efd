import { compileParser, extract } from '@gleaner/extractors';
import { readTruePages, type TruePage } from './truths.ts';

const PARSER = compileParser({ fields: { published: { page: 'published' }, author: { page: 'author' } } });

interface Answer {
  page: TruePage;
  truth: string;
  ours: string;
  isRight: boolean;
}

function namesOnly(text: string): string {
  return (
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? ''
  );
}

/** A name is right when it says who the truth names, with or without titles and organisations. */
function isSameName(ours: string, truth: string): boolean {
  const [a, b] = [namesOnly(ours), namesOnly(truth)];
  return a !== '' && (a === b || a.includes(b) || b.includes(a));
}

function print(name: string, answers: readonly Answer[], bar: number, isVerbose: boolean): void {
  const right = answers.filter(({ isRight }) => isRight).length;
  if (isVerbose) {
    for (const { page, truth, ours, isRight } of answers)
      if (!isRight) console.log(`${page.id} ${page.type} ${name}: ${ours || 'nothing'} instead of ${truth}`);
  }
  const share = right / answers.length;
  console.log(`${name}: ${right} of ${answers.length} right`);
  console.log(
    JSON.stringify({ bench: 'values', section: name, right, of: answers.length, share, met: share >= bar }),
  );
}

/** `page: "published"` and `"author"` of the pages whose date and author people know. */
export function measureFacts(args: readonly string[]): void {
  const dates: Answer[] = [];
  const authors: Answer[] = [];
  for (const page of readTruePages()) {
    const result = extract(PARSER, { body: page.body, url: page.url });
    const { published, author } = result.ok ? result.data : {};
    const day = typeof published === 'string' ? published.slice(0, 10) : '';
    const name = typeof author === 'string' ? author : '';
    if (page.publish_date) {
      const isRight = day === page.publish_date.slice(0, 10);
      dates.push({ page, truth: page.publish_date, ours: day, isRight });
    }
    if (page.author)
      authors.push({ page, truth: page.author, ours: name, isRight: isSameName(name, page.author) });
  }
  print('published', dates, 0.85, args.includes('--worst'));
  print('author', authors, 0.75, args.includes('--worst'));
}
